"""What can be wrong with a transcript's bytes, and that nothing around it is lost."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cortex_core.agents.claude import reader as transcripts
from cortex_core.agents.claude.reader import TranscriptReader
from cortex_core.base.errors import TranscriptError
from cortex_core.records.events import ReadPosition
from tests.transcript_samples import Sample, events_of, said, session


@pytest.fixture
def lines() -> list[bytes]:
    return Sample().human("one").assistant("two").human("three").lines()


def read(path: Path, content: bytes) -> tuple[list[str], TranscriptReader]:
    path = path / "sample.jsonl"
    path.write_bytes(content)
    reader = transcripts.read(path)
    return [event.text for event in reader], reader


def test_a_sound_file_has_no_problems_and_is_read_to_its_end(
    tmp_path: Path, lines: list[bytes]
) -> None:
    texts, reader = read(tmp_path, b"".join(lines))
    assert texts == ["one", "two", "three"]
    assert reader.offset == reader.size == sum(map(len, lines))
    assert not reader.problems


def test_a_torn_tail_is_left_for_the_next_read(tmp_path: Path, lines: list[bytes]) -> None:
    texts, reader = read(tmp_path, lines[0] + lines[1] + lines[2][:-9])
    assert texts == ["one", "two"]
    assert reader.offset == len(lines[0] + lines[1])
    assert reader.problems == {"torn tail": 1}


def test_a_tail_that_lacks_only_its_newline_is_read_once(
    tmp_path: Path, lines: list[bytes]
) -> None:
    whole = b"".join(lines)
    texts, reader = read(tmp_path, whole[:-1])
    assert texts == ["one", "two", "three"]
    path = tmp_path / "sample.jsonl"
    path.write_bytes(whole + Sample("more").human("four").lines()[0])
    assert [event.text for event in transcripts.read(path, ReadPosition(reader.offset))] == ["four"]


@pytest.mark.parametrize("length", [1, 4096, 70_000])
def test_nul_runs_before_inside_and_after_a_line(
    tmp_path: Path, lines: list[bytes], length: int
) -> None:
    nuls = b"\0" * length
    middle = lines[1].replace(b'"two"', b'"t' + nuls + b'wo"')
    texts, reader = read(tmp_path, nuls + lines[0] + middle + nuls + b"\n" + lines[2] + nuls)
    assert texts == ["one", "two", "three"]
    assert reader.problems["NUL bytes"] >= 3


def test_a_nul_run_longer_than_memory_may_hold_costs_only_itself(
    tmp_path: Path, lines: list[bytes]
) -> None:
    path = tmp_path / "sample.jsonl"
    with path.open("wb") as file:
        file.write(lines[0])
        file.seek(40 << 20, 1)
        file.write(lines[1])
    reader = transcripts.read(path)
    assert [event.text for event in reader] == ["one", "two"]
    assert reader.offset == path.stat().st_size


def test_two_records_on_one_line_are_both_read(tmp_path: Path, lines: list[bytes]) -> None:
    texts, reader = read(tmp_path, lines[0].rstrip() + lines[1].rstrip() + b" " + lines[2])
    assert texts == ["one", "two", "three"]
    assert reader.problems == {"glued line": 1}


@pytest.mark.parametrize("kept", [1, 30, 200, -2])
def test_half_a_line_glued_to_the_next_record_costs_only_that_half(
    tmp_path: Path, lines: list[bytes], kept: int
) -> None:
    texts, reader = read(tmp_path, lines[0] + lines[1].rstrip()[:kept] + lines[2])
    assert texts == ["one", "three"]
    assert reader.problems == {"glued line": 1}


def test_an_object_inside_a_torn_record_is_not_taken_for_one(
    tmp_path: Path, lines: list[bytes]
) -> None:
    inner = b'{"type":"user","uuid":"u","message":{"content":"quoted by a tool"}}'
    texts, _ = read(tmp_path, b'{"data":{"x":' + inner + b"," + lines[0])
    assert texts == ["one"]


@pytest.mark.parametrize(
    "junk",
    [
        b"// a comment\n",
        b"{\n",
        b"[1, 2\n",
        b"null\n",
        b"\xff\xfe\xfa\n",
        b'"type":"user"\n',
        b"}{\n",
        b'["type":"user"]\n',
        b'["type", {"type":"user"}]\n',
        b'7 "type":"assistant"\n',
        b"[" * 100_000 + b'"type":"user"\n',
        b'{"type":"user","n":' + b"9" * 5_000 + b"}\n",
    ],
)
def test_an_invalid_line_is_counted_and_passed_over(
    tmp_path: Path, lines: list[bytes], junk: bytes
) -> None:
    texts, reader = read(tmp_path, lines[0] + junk + lines[1] + junk + lines[2])
    assert texts == ["one", "two", "three"]
    assert reader.problems["invalid line"] == 2


def test_blank_lines_are_no_problem(tmp_path: Path, lines: list[bytes]) -> None:
    texts, reader = read(tmp_path, b"\n" + lines[0] + b"\n \r\n" + lines[1].replace(b"\n", b"\r\n"))
    assert texts == ["one", "two"]
    assert not reader.problems


def test_invalid_utf8_is_replaced(tmp_path: Path, lines: list[bytes]) -> None:
    texts, reader = read(tmp_path, lines[0].replace(b"one", b"on\xffe") + lines[1])
    assert texts == ["on\N{REPLACEMENT CHARACTER}e", "two"]
    assert reader.problems == {"invalid UTF-8": 1}


def test_lone_surrogates_never_leave_the_reader(tmp_path: Path) -> None:
    sample = Sample(cwd="/home/\ud800", branch="\udfff").human("half \ud83d a face")
    sample.tool("Bash\ud800", {"command": "echo \udc00"}, "\ud800")
    content = b"".join(json.dumps(record).encode() + b"\n" for record in sample.records)
    texts, _ = read(tmp_path, content)
    assert texts[0] == "half  a face"
    for event in events_of(tmp_path / "sample.jsonl"):
        json.dumps(dataclasses.asdict(event), ensure_ascii=False).encode()


def test_the_name_of_a_branch_holds_no_escape(tmp_path: Path) -> None:
    path = Sample(branch="fix/a\nb\x1b[31mred").human("Go on.").write(tmp_path)
    assert {event.branch for event in events_of(path)} == {"fix/a bred"}


def test_raw_control_characters_in_strings_are_no_reason_to_lose_a_record(
    tmp_path: Path, lines: list[bytes]
) -> None:
    texts, _ = read(tmp_path, lines[0].replace(b"one", b"on\x1b[31me\t!"))
    assert texts == ["one\t!"]


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 5000, b"\x89PNG\r\n\x1a\n\0\0\0", bytes(range(256))]
)
def test_an_empty_or_binary_file_yields_nothing_and_counts_a_problem(
    tmp_path: Path, content: bytes
) -> None:
    texts, reader = read(tmp_path, content)
    assert texts == []
    assert sum(reader.problems.values()) >= (1 if content != b"\0" * 5000 else 0)


def test_a_line_above_the_cap_is_skipped_and_the_next_one_read(
    tmp_path: Path, lines: list[bytes]
) -> None:
    long = Sample("long").human("x" * (9 << 20)).lines()[0]
    texts, reader = read(tmp_path, lines[0] + long + lines[1])
    assert texts == ["one", "two"]
    assert reader.problems == {"long line": 1}


def test_a_prompt_with_large_images_keeps_its_words(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo/" * 900_000}}
    sample = Sample().human("what is this?").human("and now")
    sample.records[0]["message"]["content"] = [image, {"type": "text", "text": "what is this?"}]
    texts, reader = read(tmp_path, bytes(sample))
    assert texts == ["what is this?", "and now"]
    assert not reader.problems


MEASURE = """
import resource, sys
from cortex_core.agents.claude import reader
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
reader = reader.read(sys.argv[1])
count = sum(1 for event in reader)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
scale = 1 if sys.platform == "darwin" else 1024
print(count, (after - before) * scale >> 20, dict(reader.problems))
"""


def memory_of(path: Path) -> tuple[int, int, str]:
    """Events, megabytes above the imports, problems."""
    code = textwrap.dedent(MEASURE)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    count, megabytes, problems = done.stdout.split(" ", 2)
    return int(count), int(megabytes), problems


def test_a_line_of_fifty_megabytes_in_bounded_memory(tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "sample.jsonl"
    head, tail = lines[1].split(b"two")
    with path.open("wb") as file:
        file.write(lines[0] + head)
        for _ in range(50):
            file.write(b"x" * (1 << 20))
        file.write(tail + lines[2])
    count, megabytes, problems = memory_of(path)
    assert (count, problems.strip()) == (2, "{'long line': 1}")
    assert megabytes < 100


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sample.jsonl"
    one = bytes(Sample().assistant("u" * 2000).tool("Bash", {"command": "c" * 3000}, "r" * 30_000))
    with path.open("wb") as file:
        for number in range(600):
            line = one
            for name in (b'"uuid":"', b'"msg_', b'"toolu_'):
                line = line.replace(name, name + b"%d-" % number)
            file.write(line)
    assert path.stat().st_size > 35 << 20
    count, megabytes, _ = memory_of(path)
    assert count == 1800
    assert megabytes < 20


def test_the_head_tells_a_replaced_file_from_a_grown_one(tmp_path: Path) -> None:
    path = session().write(tmp_path / "a.jsonl")
    first = transcripts.read(path)
    list(first)
    with path.open("ab") as file:
        file.write(Sample("later").human("more").lines()[0])
    grown = transcripts.read(path, ReadPosition(first.offset))
    assert grown.head == first.head
    assert [event.text for event in transcripts.read(path, first.position)] == ["more"]

    path.write_bytes(path.read_bytes().replace(b"SQLite", b"MySQL!"))
    replaced = transcripts.read(path, first.position)
    assert replaced.offset == 0
    assert len(list(replaced)) == 11
    assert replaced.problems["replaced file"] == 1


def test_a_file_shorter_than_the_offset_or_cut_elsewhere_is_read_anew(tmp_path: Path) -> None:
    path = Sample().human("one").human("two").write(tmp_path / "a.jsonl")
    for offset in (path.stat().st_size + 10, 25):
        reader = transcripts.read(path, ReadPosition(offset))
        assert [event.text for event in reader] == ["one", "two"]
        assert reader.problems == {"replaced file": 1}


def test_a_growing_file_is_read_piece_by_piece(tmp_path: Path) -> None:
    whole = session()
    path = tmp_path / "grow.jsonl"
    path.write_bytes(b"")
    offset, found = 0, []
    for line in whole.lines():
        for piece in (line[:40], line[40:]):
            with path.open("ab") as file:
                file.write(piece)
            with transcripts.read(path, ReadPosition(offset)) as reader:
                found += said(reader)
            offset = reader.offset
    assert found == said(events_of(whole.write(tmp_path / "whole.jsonl")))
    assert offset == path.stat().st_size


def test_stopping_early_leaves_an_offset_from_which_nothing_is_lost(tmp_path: Path) -> None:
    path = session().write(tmp_path / "a.jsonl")
    everything = events_of(path)
    for count in range(1, len(everything)):
        with transcripts.read(path) as reader:
            taken = [event for _, event in zip(range(count), reader, strict=False)]
        later = events_of(path, position=ReadPosition(reader.offset))
        assert {event.uuid for event in (*taken, *later)} == {event.uuid for event in everything}
        assert reader.head


def test_a_folder_a_device_and_a_missing_file_are_explained(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="a folder"):
        transcripts.read(tmp_path)
    with pytest.raises(TranscriptError, match="not a regular file"):
        transcripts.read("/dev/null")
    with pytest.raises(TranscriptError, match="30 days"):
        transcripts.read(tmp_path / "gone.jsonl")
    with pytest.raises(TranscriptError, match="cannot be read"):
        transcripts.read("nul\0name.jsonl")
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    with pytest.raises(TranscriptError, match="cannot be read"):
        transcripts.read(tmp_path / "loop.jsonl")
