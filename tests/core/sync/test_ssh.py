"""A folder on another machine carries files; the double of ssh runs the far side's script here."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from cortex_core.base.errors import SyncError
from cortex_core.sync.carriers.processes import ProcessResult
from cortex_core.sync.carriers.protocol import MARKER
from cortex_core.sync.carriers.ssh import SshCarrier

ONE, TWO = "global/m1/1-00000001", "ab/m1/2-00000002.age"

DOUBLE = """#!/bin/sh
# Drops ssh's own options, and runs what is left in the home of the other machine.
while [ "$1" != -- ]; do shift; done
shift
[ "$1" = away ] && { echo "ssh: connect to host away port 22: No route to host" >&2; exit 255; }
shift
cd "$FAR" || exit 1
echo "$*" >> "$FAR/../calls"
[ -e "$FAR/../cut" ] && { head -c "$(cat "$FAR/../cut")" | sh -c "$*"; exit 255; }
exec sh -c "$*"
"""


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of the other machine."""
    programs, home = tmp_path / "programs", tmp_path / "far"
    programs.mkdir()
    home.mkdir()
    (programs / "ssh").write_text(DOUBLE)
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("FAR", str(home))
    return home


def calls(far: Path) -> int:
    return len((far.parent / "calls").read_text().splitlines())


def held(folder: str) -> dict[str, bytes]:
    carrier = SshCarrier("host", folder)
    return dict(carrier.read(carrier.names()))


@pytest.mark.parametrize("folder", ['~/it\'s $HOME; "x"', "-rf", "a/b"])
def test_machines_read_each_other(far: Path, folder: str) -> None:
    carrier = SshCarrier("host", folder)
    carrier.prepare()
    carrier.prepare()
    carrier.publish({ONE: b"\0first\n", TWO: b"", "global/m1/3-00000003": b"x" * 100_000})
    carrier.publish({ONE: b"\0first\n"}, ["global/m1/3-00000003", "global/m1/4-00000004"])
    carrier.publish({})
    assert held(folder) == {ONE: b"\0first\n", TWO: b""}
    assert carrier.claim("key.age", b"first")
    assert not SshCarrier("host", folder).claim("key.age", b"second")
    assert held(folder)["key.age"] == b"first"
    carrier.publish({"key.age": b"replaced"})
    assert held(folder)["key.age"] == b"replaced"
    there = far / folder.removeprefix("~/")
    assert sorted(path.name for path in there.iterdir()) == [MARKER, "ab", "global", "key.age"]
    assert not (there / ONE).stat().st_mode & 0o077
    assert "nothing old" in carrier.forget_past()


def test_a_thousand_files_need_three_connections(far: Path) -> None:
    files = {f"global/m1/{n}-{n:08x}": b"%d" % n * 40 for n in range(1_000)}
    carrier = SshCarrier("host", "cortex")
    carrier.prepare()
    before = calls(far)
    carrier.publish(files)
    assert held("cortex") == files
    assert calls(far) == before + 3


def test_a_cut_connection_leaves_all_or_nothing(far: Path) -> None:
    carrier = SshCarrier("host", "cortex")
    carrier.prepare()
    carrier.publish({ONE: b"old"})
    files = {f"global/m1/{n}-{n:08x}": b"%d" % n * 400 for n in range(2, 5)}
    for cut in (0, 100, 512, 3_000, 5_000):
        (far.parent / "cut").write_text(str(cut))
        with pytest.raises(SyncError, match="sent next time"):
            carrier.publish(files, [ONE])
        with pytest.raises(SyncError, match="Nothing was changed"):
            carrier.claim("key.age", b"k" * 9_000)
        (far.parent / "cut").unlink()
        assert held("cortex") == {ONE: b"old"}
    carrier.publish(files, [ONE])
    assert held("cortex") == files


def test_what_is_foreign_is_not_read(far: Path) -> None:
    carrier = SshCarrier("host", "cortex")
    carrier.prepare()
    carrier.publish({ONE: b"one"})
    writer = far / "cortex" / "global" / "m1"
    (far / "private").write_bytes(b"private")
    (writer / "2-00000002").symlink_to(far / "private")
    (writer / "3-00000003 (conflicted copy)").write_bytes(b"foreign")
    (writer / "4-0000\n0004").write_bytes(b"foreign")
    (far / "cortex" / "other").symlink_to(writer)
    assert held("cortex") == {ONE: b"one"}
    assert dict(carrier.read(["global/m1/2-00000002", "global/m1/9-00000009", ONE])) == {
        ONE: b"one"
    }
    with pytest.raises(ValueError, match="not a name"):
        list(carrier.read(["../private"]))
    with pytest.raises(ValueError, match="not a name"):
        carrier.publish({"$(id)": b""})


def test_a_hostile_stream_gives_only_what_was_asked(
    far: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the other machine sends, it is neither unpacked here nor read under another name."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in ("../evil", TWO, ONE):
            member = tarfile.TarInfo(name)
            member.size = 4
            archive.addfile(member, io.BytesIO(b"data"))
        link = tarfile.TarInfo(ONE)
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    (far / "stream").write_bytes(made.getvalue())
    (far.parent / "programs" / "ssh").write_text("#!/bin/sh\ncat $FAR/stream\n")
    assert dict(SshCarrier("host", "cortex").read([ONE])) == {ONE: b"data"}
    (far / "stream").write_bytes(made.getvalue()[:2_000])
    with pytest.raises(SyncError, match="cannot be used"):
        list(SshCarrier("host", "cortex").read([ONE, TWO]))


def test_what_cannot_be_reached_is_said_in_words(far: Path) -> None:
    with pytest.raises(SyncError, match=r"away cannot be used: .*No route to host"):
        SshCarrier("away", "cortex").prepare()
    with pytest.raises(SyncError, match=r"has no folder \./cortex that was made ready"):
        SshCarrier("host", "cortex").publish({ONE: b"one"})
    (far / "cortex").mkdir()
    with pytest.raises(SyncError, match=f"no {MARKER} in it"):
        SshCarrier("host", "cortex").names()
    with pytest.raises(SyncError, match=f"no {MARKER} in it"):
        list(SshCarrier("host", "cortex").read([ONE]))
    assert list((far / "cortex").iterdir()) == []


def test_another_key_of_the_host_is_named_below_the_warning_about_it() -> None:
    frame = "@" * 59
    said = f"{frame}\n@    WARNING: IT HAS CHANGED!     @\n{frame}\nSOMEONE COULD BE LISTENING\n"
    done = ProcessResult(255, b"", f"{said}Host key verification failed.\r\n")
    assert done.reason == "Host key verification failed."


def test_a_connection_that_stops_answering_is_ended(
    far: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all that was started for it."""
    (far.parent / "programs" / "ssh").write_text(
        "#!/bin/sh\nsleep 600 & echo $! > $FAR/pid\nwait\n"
    )
    for patience in (0.3, 3.0, 30.0):  # until the connection got so far before it was ended
        monkeypatch.setattr("cortex_core.sync.carriers.processes.PATIENCE", patience)
        with pytest.raises(SyncError, match=rf"longer than {patience:g} seconds"):
            SshCarrier("host", "cortex").fetch()
        if (far / "pid").exists():
            break
    left = subprocess.run(
        ["ps", "-o", "stat=", "-p", (far / "pid").read_text().strip()],
        capture_output=True,
        text=True,
    )
    assert left.stdout.strip()[:1] in ("", "Z")
