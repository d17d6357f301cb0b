"""Transactions, threads, processes, and what SQLite refuses."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cnrag_core.errors import ConfigError, StorageCorruptError, StorageError, StorageFullError
from cnrag_core.storage import schema
from cnrag_core.storage.check import check_database
from cnrag_core.storage.connection import Database
from cnrag_core.storage.sqlite_storage import SQLiteStorage

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["file", "memory"])
def database(request: pytest.FixtureRequest, tmp_path: Path):
    database = Database(tmp_path / "a.db" if request.param == "file" else ":memory:")
    yield database
    database.close()


def count(database: Database) -> int:
    with database.snapshot() as connection:
        return connection.execute("SELECT count(*) FROM nodes").fetchone()[0]


def insert(connection: sqlite3.Connection, node_id: str) -> None:
    connection.execute("INSERT INTO nodes (id, content_hash, checksum) VALUES (?, '', 0)", (node_id,))


def test_a_transaction_is_kept_whole(database: Database) -> None:
    with database.transaction() as connection:
        insert(connection, "a")
        insert(connection, "b")
    assert count(database) == 2


def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    def write() -> None:
        with database.transaction() as connection:
            insert(connection, "a")
            raise ConfigError("null and void")

    with pytest.raises(ConfigError, match="null and void"):
        write()
    assert count(database) == 0


def test_a_transaction_inside_another_is_a_part_of_it(database: Database) -> None:
    def write() -> None:
        with database.transaction() as outer:
            insert(outer, "a")
            with database.transaction() as inner:
                insert(inner, "b")
            raise KeyError

    with pytest.raises(KeyError):
        write()
    assert count(database) == 0


def test_a_snapshot_does_not_see_what_is_written_meanwhile(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    with database.snapshot() as connection:
        assert connection.execute("SELECT count(*) FROM nodes").fetchone() == (0,)

        def write() -> None:
            with database.transaction() as other:
                insert(other, "a")

        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert connection.execute("SELECT count(*) FROM nodes").fetchone() == (0,)
    assert count(database) == 1
    database.close()


def test_settings_keep_what_was_acknowledged(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    connection = database.connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert connection.execute("PRAGMA busy_timeout").fetchone() == (30_000,)


def test_threads_that_read_and_then_write_never_find_the_database_locked(database: Database) -> None:
    failures: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for number in range(25):
                with database.transaction() as connection:
                    connection.execute("SELECT count(*) FROM nodes").fetchone()
                    insert(connection, f"{name}-{number}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert count(database) == 200


def test_connections_of_ended_threads_are_closed(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    for _ in range(30):
        thread = threading.Thread(target=count, args=(database,))
        thread.start()
        thread.join()
    assert len(database._handles) <= 2
    database.close()


WRITER = """
import sys
from cnrag_core.storage.sqlite_storage import SQLiteStorage
storage = SQLiteStorage(sys.argv[1])
for number in range(int(sys.argv[3])):
    batch = [(f"{sys.argv[2]}-{number:04d}-{part}", "text " * 50, {"batch": number}) for part in range(20)]
    storage.save_nodes(batch)
    print(number, flush=True)
"""


def start_writer(path: Path, name: str, n_batches: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(n_batches)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_two_processes_write_side_by_side(tmp_path: Path) -> None:
    writers = [start_writer(tmp_path / "a.db", name, 20) for name in ("one", "two")]
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    with SQLiteStorage(tmp_path / "a.db") as storage:
        assert storage.count() == 800


@pytest.mark.parametrize("n_acknowledged", [1, 7, 15])
def test_a_killed_writer_loses_no_acknowledged_batch_and_leaves_no_half_one(
    tmp_path: Path, n_acknowledged: int
) -> None:
    path = tmp_path / "a.db"
    writer = start_writer(path, "w", 100_000)
    assert writer.stdout is not None
    acknowledged = [int(writer.stdout.readline()) for _ in range(n_acknowledged)][-1]
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert check_database(path) == []
    with SQLiteStorage(path) as storage:
        ids = storage.node_ids()
    batches = {node_id.split("-")[1] for node_id in ids}
    assert len(ids) == 20 * len(batches)
    assert len(batches) >= acknowledged + 1


def test_a_full_disk_is_named_and_what_was_stored_is_intact(tmp_path: Path) -> None:
    storage = SQLiteStorage(tmp_path / "a.db")
    storage.save_node("kept", "text", {})
    storage.database.connection.execute("PRAGMA max_page_count=40")
    with pytest.raises(StorageFullError, match="no room left"):
        storage.save_nodes((f"n{number}", "word " * 1000, {}) for number in range(1000))
    assert storage.node_ids() == ["kept"]
    storage.close()
    assert check_database(tmp_path / "a.db") == []
    with SQLiteStorage(tmp_path / "a.db") as again:  # there is room again
        assert again.save_nodes((f"n{number}", "word " * 1000, {}) for number in range(100)) == 100
        assert again.count() == 101


FILLER = """
import resource, sys
from cnrag_core.errors import StorageFullError
from cnrag_core.storage.sqlite_storage import SQLiteStorage
storage = SQLiteStorage(sys.argv[1])
storage.save_node("kept", "text", {})
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    storage.save_nodes((f"n{number}", "word " * 1000, {}) for number in range(1000))
except StorageFullError:
    print(storage.node_ids())
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit of file sizes on this system")
def test_a_limit_of_the_file_size_is_a_full_disk_too(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FILLER, str(tmp_path / "a.db")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert ran.stdout == "['kept']\n", ran.stderr
    assert check_database(tmp_path / "a.db") == []


def test_a_busy_database_is_named_after_the_timeout(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db", timeout=0.05)
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="busy"), database.transaction():
        pass
    other.close()
    database.close()


def test_a_closed_database_says_so(database: Database) -> None:
    database.close()
    with pytest.raises(StorageError, match="was closed"):
        count(database)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened"):
        Database(tmp_path / "no" / "such" / "a.db")


def test_a_name_that_cannot_be_is_refused() -> None:
    with pytest.raises(StorageError, match="cannot be the name"):
        Database("a\0b")


def test_what_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("these are notes, not a database. " * 100, encoding="utf-8")
    before = file.read_bytes()
    with pytest.raises(StorageCorruptError, match="is damaged, or is not a database"):
        Database(file)
    assert file.read_bytes() == before


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "a.db")
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(StorageCorruptError, match="another program"):
        Database(tmp_path / "a.db")


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    database.connection.execute("PRAGMA user_version=99")
    database.close()
    with pytest.raises(StorageError, match="version 99"):
        Database(tmp_path / "a.db")


def test_an_older_database_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SQLiteStorage(tmp_path / "a.db") as storage:
        storage.save_node("a", "text", {})
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("CREATE TABLE later (x)",)))
    with SQLiteStorage(tmp_path / "a.db") as storage:
        assert storage.database.connection.execute("SELECT count(*) FROM later").fetchone() == (0,)
        assert storage.node_ids() == ["a"]


def test_a_failed_migration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database(tmp_path / "a.db").close()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("CREATE TABLE later (x)", "NONSENSE")))
        with pytest.raises(StorageError):
            Database(tmp_path / "a.db")
    Database(tmp_path / "a.db").close()
