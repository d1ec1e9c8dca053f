"""The repository around the code is consistent: commands, pins, maps, and what the README shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "slackwater"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

MEGABYTE = 1 << 20
# A path that holds on one machine only. `#!/usr/bin/env` holds everywhere.
MACHINE_PATH = re.compile(r"(?<![\w.~<>{}*/-])/(?:home|root|Users|work|workspace|tmp|opt|mnt|var)/\w")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def files() -> list[Path]:
    """What is, or is about to be, in the repository."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def slackwater(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line, as a user runs it."""
    program = [sys.executable, "-c", "from slackwater.cli import main; main()", *arguments]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)


def code_blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))


def pins() -> list[tuple[str, str]]:
    """(name, version) of every line of the constraints; fails on a line of any other form."""
    lines = [line for line in read("constraints.txt").splitlines() if line and not line.startswith("#")]
    matches = [re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)", line) for line in lines]
    strange = [line for line, match in zip(lines, matches, strict=True) if match is None]
    assert not strange, "constraints are names and exact versions only"
    return [(canonicalize_name(match[1]), match[2]) for match in matches if match]


def declared() -> list[str]:
    """Every dependency that pyproject names: to run, to develop, to build."""
    project = PROJECT["project"]
    extras = [
        line
        for lines in project["optional-dependencies"].values()
        for line in lines
        if not line.startswith(project["name"])
    ]
    return [*project["dependencies"], *extras, *PROJECT["build-system"]["requires"]]


def closure(lines: Iterable[str]) -> set[str]:
    """The names of these requirements and of all that they pull in here."""
    visited: set[tuple[str, str]] = set()
    waiting = [(Requirement(line), "") for line in lines]
    while waiting:
        requirement, requesting_extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": requesting_extra}):
            continue
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in visited:
                visited.add((name, extra))
                waiting += [(Requirement(line), extra) for line in requires(name) or ()]
    return {name for name, _ in visited}


def unlisted(names: Iterable[str], text: str) -> list[str]:
    return [name for name in names if name not in text]


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", ".ci/run"])
def test_every_make_command_in_the_documents_is_a_target(document: str) -> None:
    commands = set(re.findall(r"(?:^\$ |`|^step )make ([a-z-]+)", read(document), re.MULTILINE))
    assert commands, f"{document} names no make command"
    assert commands <= targets()


def test_every_target_is_described_and_phony() -> None:
    described = set(re.findall(r"^([a-z-]+):.*## \S", read("Makefile"), re.MULTILINE))
    phony = set(re.findall(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE)[0].split())
    assert targets() == described == phony


def test_every_command_in_the_readme_is_a_command_of_the_command_line() -> None:
    commands = set(re.findall(r"`slackwater ([a-z]+)\b", read("README.md")))
    assert {"check", "explain", "test", "script", "demo"} <= commands
    assert {name for name in commands if slackwater(name, "--help").returncode} == set()


def test_the_version_is_in_one_place() -> None:
    shown = slackwater("--version")
    assert shown.returncode == 0
    assert PROJECT["project"]["version"] in shown.stdout


def test_the_example_in_the_readme_gives_the_answers_it_shows(tmp_path: Path) -> None:
    stories = [block for block in code_blocks(read("README.md"), "text") if "\nquery\n" in block]
    assert len(stories) == 1
    story = tmp_path / "congestion.cqt"
    story.write_text(stories[0], encoding="utf-8")
    outcome = slackwater("test", str(story))
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_the_program_in_the_readme_is_accepted(tmp_path: Path) -> None:
    (block,) = code_blocks(read("README.md"), "sql")
    program = tmp_path / "congestion.cql"
    program.write_text(block, encoding="utf-8")
    outcome = slackwater("check", str(program))
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_each_pin_is_listed_once() -> None:
    names = [name for name, _ in pins()]
    assert sorted(set(names)) == sorted(names)


def test_every_dependency_is_pinned_with_all_it_pulls_in() -> None:
    assert closure(declared()) <= {name for name, _ in pins()}


def test_every_dependency_says_why() -> None:
    reasons = read("ARCHITECTURE.md").partition("## Dependencies")[2]
    assert unlisted((Requirement(line).name for line in declared()), reasons) == []


def packages() -> list[str]:
    return sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())


def test_every_package_has_a_paragraph_in_the_architecture() -> None:
    paragraphs = dict(re.findall(r"^### `(\w+)`\n\n(.+)$", read("ARCHITECTURE.md"), re.MULTILINE))
    assert [name for name in packages() if name not in paragraphs] == []


def test_every_package_is_on_the_map_in_the_readme() -> None:
    assert unlisted((f"  {name}/ " for name in packages()), read("README.md")) == []


def test_every_package_has_its_layer() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in contracts if c.get("containers") == ["slackwater"])
    placed = set(re.findall(r"\w+", " ".join(layers)))
    assert [name for name in packages() if name not in placed] == []


def test_every_decision_is_in_the_index() -> None:
    decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert decisions
    assert unlisted((f"]({name})" for name in decisions), read("docs/decisions/README.md")) == []


def test_every_decision_is_numbered_once() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")]
    assert sorted(set(numbers)) == sorted(numbers)


def without_code(page: str) -> str:
    """A page without its code, in which `R[Sync](S)` is no link."""
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE))


def test_links_between_documents_lead_somewhere() -> None:
    documents = [path for path in files() if path.suffix == ".md"]
    broken = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in documents
        for link in re.findall(
            r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", without_code(path.read_text(encoding="utf-8"))
        )
        if not (path.parent / link).exists()
    ]
    assert broken == []


def test_no_file_names_a_path_of_one_machine() -> None:
    paths = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert paths == []


def test_no_file_is_over_a_megabyte() -> None:
    assert [str(path.relative_to(ROOT)) for path in files() if path.stat().st_size > MEGABYTE] == []


def test_what_the_gate_runs_is_executable() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_every_file_on_a_walk_through_the_architecture_exists() -> None:
    paths = set(re.findall(r"`([a-z]+/[a-z_/]+\.py)`", read("ARCHITECTURE.md")))
    assert len(paths) > 10
    assert [path for path in sorted(paths) if not (PACKAGE / path).exists()] == []
