"""Stories invented for the tests of perturbation, and odd texts that it must survive."""

from __future__ import annotations

from yarnstick.union.perturb import RECIPES, Pool
from yarnstick.union.perturb.many import perturb

STORIES = [
    "Anna wanted a puppy for her birthday. Her father took her to the shelter. She saw a small brown dog and loved it. They bought food and a red bed. Anna named the dog Biscuit.",
    "Tom was late for work on Monday. He ran to the station but missed the train. His boss called him twice. Tom finally took a taxi. The driver told him funny stories all the way.",
    "Lucy and Ben built a tent in the garden. It rained all night. Water came in and they didn't sleep. In the morning their mother made hot chocolate. They decided to try again in summer.",
    "I lost my phone on the beach. I looked everywhere and asked everyone. A boy had found it in the sand. He gave it back and smiled. I bought him a big ice cream.",
    "We drove to the mountains last winter. The road was covered with snow. Our car got stuck near a farm. The farmer pulled us out with his tractor. He wouldn't take any money.",
    "Maria loved to bake bread. She opened a small shop in her town. Nobody came for the first week. Then a newspaper wrote about her. Now she sells everything before noon.",
    "The old clock in the hall stopped. Grandpa tried to repair it. He lost a tiny screw under the carpet. The cat played with it. At last the clock struck twelve and everyone laughed.",
    "Sam hated his new school. The other boys were loud. One day a girl asked him to join the chess club. He won his first game. After that he was never lonely again.",
    "Kate bought an old house by the river. The kitchen was dirty and dark. She painted every wall white. Her friends came to help her. They had a big party in the garden.",
    "Jim planned a surprise for his wife. He cooked dinner and lit some candles. The smoke set off the alarm. Firemen rushed into the house. His wife said that it was a surprise indeed.",
    "Mike trained for the race every morning. He was faster than his brother. On the day he hurt his knee. His brother stopped and helped him walk. They crossed the line together.",
    "Sarah found a strange letter in the attic. It was written by her grandmother. She read it slowly. It told of a ring hidden in the wall. Sarah took a hammer and began to look.",
]

ODD = [
    "ok. ok.",
    "[MALE] did n't go home . [FEMALE] was sad . they went to [NEUTRAL] 's house .",
    "i went home . i did n't sleep at all . it rained .",
    '"Stop!" he said. “Why?” she asked.\n\nHe didn’t answer — he couldn’t.\n\nThe end…',
    "🙂 went home. 🙂🙂 was happy. Ça va? Привет мир. 他来了。我走了。",
    "HE WENT HOME. SHE DID NOT GO. THEY WERE HAPPY.",
    "The same thing. The same thing. The same thing. The other thing.",
    "A  text   with\tmany   gaps .   And one more , here !  No end",
    "İstanbul was big. İt was old. He left İstanbul.",
]


def made_with(seed: int, workers: int = 1) -> list[str]:
    """Two negatives of each story."""
    made = perturb(STORIES, RECIPES["wide"], Pool(STORIES, 0), seed=seed, each=2, workers=workers)
    return [negative.text for one in made for negative in one.negatives]
