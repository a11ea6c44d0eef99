"""Negation: a table of sentences and what must become of them, judged by hand."""

from __future__ import annotations

import pytest

from yarnstick.union.perturb.negation import alterations, altered

# sentence | every alteration there is, in order; "full / short" where both forms exist, "-" for one that does not
ADDED = """
He went home. | He did not go home. / He didn't go home.
She decided to try again. | She did not decide to try again. / She didn't decide to try again.
Tom bought a dog. | Tom did not buy a dog. / Tom didn't buy a dog.
Will wanted a dog. | Will did not want a dog. / Will didn't want a dog.
The dog barked at me. | The dog did not bark at me. / The dog didn't bark at me.
They stopped the car. | They did not stop the car. / They didn't stop the car.
I thought about it. | I did not think about it. / I didn't think about it.
It began to rain. | It did not begin to rain. / It didn't begin to rain.
She put it on the table. | She did not put it on the table. / She didn't put it on the table.
We read the same book yesterday. | We did not read the same book yesterday. / We didn't read the same book yesterday.
He quickly ran away. | He did not quickly run away. / He didn't quickly run away.
He always liked her. | He did not always like her. / He didn't always like her.
I like dogs. | I do not like dogs. / I don't like dogs.
They live in a small town. | They do not live in a small town. / They don't live in a small town.
He likes dogs. | He does not like dogs. / He doesn't like dogs.
She goes to school. | She does not go to school. / She doesn't go to school.
Tom wants a dog. | Tom does not want a dog. / Tom doesn't want a dog.
He had a dog. | He did not have a dog. / He didn't have a dog.
She has a sister. | She does not have a sister. / She doesn't have a sister.
I have two cats. | I do not have two cats. / I don't have two cats.
He had to leave. | He did not have to leave. / He didn't have to leave.
We have to go. | We do not have to go. / We don't have to go.
She had gone home. | She had not gone home. / She hadn't gone home.
He has been ill. | He has not been ill. / He hasn't been ill.
They have finished. | They have not finished. / They haven't finished.
You had better go. | You had better not go. / -
He did his homework. | He did not do his homework. / He didn't do his homework.
She does yoga. | She does not do yoga. / She doesn't do yoga.
He did it again. | He did not do it again. / He didn't do it again.
He was happy. | He was not happy. / He wasn't happy.
They were late. | They were not late. / They weren't late.
I am a teacher. | I am not a teacher. / -
She is here. | She is not here. / She isn't here.
There was a man. | There was not a man. / There wasn't a man.
Everyone is here. | Everyone is not here. / Everyone isn't here.
He can swim. | He cannot swim. / He can't swim.
She could see it. | She could not see it. / She couldn't see it.
I will go. | I will not go. / I won't go.
He would be sad. | He would not be sad. / He wouldn't be sad.
You should call her. | You should not call her. / You shouldn't call her.
You must go. | You must not go. / You mustn't go.
It might rain. | It might not rain. / -
We would rather stay. | We would rather not stay. / -
I'm tired. | I'm not tired. / -
You're late. | You're not late. / You aren't late.
He's happy. | He is not happy. / He isn't happy.
It's been a while. | It has not been a while. / It hasn't been a while.
I'll call you. | I will not call you. / I won't call you.
We've finished. | We have not finished. / We haven't finished.
I'd go there. | I would not go there. / I wouldn't go there.
She'd been ill. | She had not been ill. / She hadn't been ill.
Let's go. | Let's not go. / -
Did he go home? | - / Didn't he go home?
Is she here? | - / Isn't she here?
Why did you call? | - / Why didn't you call?
He’s happy. | He is not happy. / He isn't happy.
i went home . | i did not go home . / i didn't go home .
He ran, fell and cried. | He did not run, fell and cried. / He didn't run, fell and cried. | He ran, did not fall and cried. / He ran, didn't fall and cried. | He ran, fell and did not cry. / He ran, fell and didn't cry.
She got up and left. | She did not get up and left. / She didn't get up and left. | She got up and did not leave. / She got up and didn't leave.
"""

REMOVED = """
He did not go home. | He went home.
He didn't go home. | He went home.
He didn’t go home. | He went home.
he did n't go home . | he went home .
She didn't even look at me. | She even looked at me.
He did not really like it. | He really liked it.
She doesn't like dogs. | She likes dogs.
I don't know him. | I know him.
Don't go there. | Go there.
But he didn't. | But he did.
Didn't he go home? | Did he go home?
Why didn't you come? | Why did you come?
He wasn't happy. | He was happy.
They were not late. | They were late.
I'm not tired. | I'm tired.
He can't swim. | He can swim.
He cannot swim. | He can swim.
I won't go. | I will go.
She couldn't see anything. | She could see something.
She hadn't gone home. | She had gone home.
He has not been ill. | He has been ill.
He didn't have any money. | He had some money.
She didn't like him anymore. | She liked him.
They didn't talk at all. | They talked.
He never came back. | He always came back.
Nobody knew. | Everybody knew.
No one was there. | Everyone was there.
Nothing happened. | Everything happened.
He had no money. | He had some money.
There was no dog. | There was a dog.
She had no idea. | She had an idea.
She no longer worked there. | She still worked there.
He decided not to go. | He decided to go.
He told me to not touch it. | He told me to touch it.
He left without his coat. | He left with his coat.
He could barely stand. | He could stand.
"""

#: nothing sure can be said the other way round
LEFT_ALONE = """
What a day!
The man named Tom.
Please help me.
A can of beans.
So did I.
No, thank you.
He wondered in no time.
"""


def forms(sentence: str) -> list[str]:
    return [
        f"{altered(sentence, each) if each.full else '-'} / {altered(sentence, each, True) if each.short else '-'}"
        for each in alterations(sentence)
    ]


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("sentence", "expected"), [(row[0], row[1:]) for row in rows(ADDED)])
def test_negations_added(sentence: str, expected: list[str]) -> None:
    assert forms(sentence) == expected


@pytest.mark.parametrize(("sentence", "expected"), rows(REMOVED))
def test_negations_taken_away(sentence: str, expected: str) -> None:
    assert [altered(sentence, each) for each in alterations(sentence)] == [expected]


@pytest.mark.parametrize("sentence", LEFT_ALONE.strip().splitlines())
def test_what_is_not_sure_is_left_alone(sentence: str) -> None:
    assert alterations(sentence) == ()


#: two ways there and back: what was added can be taken away again, and the sentence is what it was
@pytest.mark.parametrize(
    "sentence",
    [row[0] for row in rows(ADDED) if len(row) == 2 and not row[0].startswith(("It's", "He", "I'd", "She'd", "We'", "I'", "Let", "Everyone", "You had", "You're", "We would", "i "))],
)  # fmt: skip
def test_a_negation_added_can_be_taken_away(sentence: str) -> None:
    (only,) = alterations(sentence)
    for contracted in (False, True):
        negated = altered(sentence, only, contracted)
        back = [altered(negated, each) for each in alterations(negated)]
        assert back == [sentence], negated
