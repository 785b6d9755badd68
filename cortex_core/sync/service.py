"""A user's memories on all their machines: adding remotes, and exchanging through them.

An exchange fetches first, then merges into each store, then sends. A remote that cannot be reached
changes nothing: the journal waits.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from cortex_core.base import identity, trust
from cortex_core.base.errors import (
    DivergedIdentity,
    NotFound,
    NotReady,
    StoreError,
    SyncError,
    UsageError,
)
from cortex_core.maintenance import scrub
from cortex_core.records.captures import Progress, unwatched
from cortex_core.records.machines import (
    OtherMachine,
    RemoteState,
    SyncedRemote,
    SyncedStore,
    SyncReport,
    SyncStatus,
)
from cortex_core.store import synced
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.sync import encryption
from cortex_core.sync.carriers import targets
from cortex_core.sync.carriers.protocol import Carrier, is_entry
from cortex_core.sync.exchange import SeenMachine, StoreExchange, count_unsent, state_of
from cortex_core.sync.remote_run import RemoteRun, TakingPart
from cortex_core.sync.remotes import Remote, Remotes

AskPassphrase = Callable[[bool], str]
"""Gives the passphrase of a remote; its argument is whether that makes the key."""

NAMED_META = "sync_name"
"""The meta row with the name that a user gave a project without git."""

UNTRUSTED = (
    "The project store came from elsewhere and is not trusted, so it was not exchanged. If you "
    "know what is in it: cortex trust"
)


UNKNOWN = SeenMachine("", 0.0, "", 0)
"""Another machine of which nothing was read yet."""


class Synchronization:
    """The exchange of memories among the machines of a user."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._remotes = Remotes(workspace.project.home)
        self._git_keys: tuple[str, ...] = ()

    def add(
        self,
        name: str,
        target: str = "",
        *,
        passphrase: AskPassphrase,
        encrypt: bool | None = None,
        everywhere: bool = False,
        known_as: str = "",
        force: bool = False,
    ) -> RemoteState:
        """Let this project take part in the remote `name`, which is added if there is none yet.

        Nothing is exchanged before `run`.

        Args:
            name: small letters, digits and hyphens.
            target: a git repository, `host:folder` or a folder; empty for a remote that is there.
            passphrase: asked only if the files are encrypted and this machine has no key.
            encrypt: whether the files are encrypted; None: as they are there, else if it is a
                repository on a host.
            everywhere: let the global store take part as well; outside of a project it alone.
            known_as: by what all machines know this project where git does not say.
            force: take a repository that is used for something else.

        Raises:
            UsageError: the target is none, or is the repository of the project's own code.
            NotFound: there is no such remote, and no target.
            SyncError: the target cannot be reached, or the passphrase is wrong; nothing was added.
        """
        keys = self._keys_to_add(known_as, everywhere)
        remote = next((each for each in self._remotes.all() if each.name == name), None)
        if remote and target and targets.target_of(target) != remote.target:
            raise UsageError(
                f"The remote {name} is {remote.target.shown}. Nothing was changed. Leave the "
                "target out to take part in it, or choose another name."
            )
        if remote and encrypt not in (None, remote.is_encrypted):
            raise UsageError(
                f"The remote {name} is {'' if remote.is_encrypted else 'not '}encrypted. Nothing "
                "was changed. What is there stays as it is: add another one, or leave out "
                f"{'--encrypt' if encrypt else '--no-encrypt'}."
            )
        if remote is None:
            self._add_remote(name, target, passphrase, encrypt, force)
        # After the remote is there: a name for nothing would only confuse.
        if known_as:
            self._workspace.store("project").set_meta(NAMED_META, known_as)
        return self._state(self._remotes.note(name, keys))

    def run(
        self,
        name: str = "",
        *,
        dry_run: bool = False,
        same: bool = False,
        progress: Progress = unwatched,
        should_continue: Callable[[], bool] = lambda: True,
    ) -> SyncReport:
        """Exchange what is new with the other machines, through one remote or all.

        Args:
            dry_run: count what would be sent and received, and change no store and no remote.
            same: take a project with the same first commit and another origin for this one.
            should_continue: asked before each remote.

        Raises:
            NotFound: there is no such remote, or this project takes part in none.
            SyncError: another process is exchanging.
        """
        remotes = [self._remotes.get(name)] if name else self._remotes.all()
        taking = [remote for remote in remotes if self._taking_part(remote)]
        if not taking:
            raise NotFound(
                "Neither this project nor the global store takes part in "
                f"{'the remote ' + name if name else 'any remote'}. Nothing was exchanged. To "
                f"let it: cortex sync add {name or 'NAME'}{'' if remotes else ' TARGET'}"
            )
        # Two exchanges at once would number their files alike.
        with self._remotes.lock() as alone:
            if not alone:
                raise SyncError(
                    "Another process is exchanging with your machines. Nothing was done. It takes "
                    "what is new along; to see how far it came: cortex sync status"
                )
            found = []
            for index, remote in enumerate(taking):
                if should_continue():
                    progress(index, len(taking), remote.name)
                    found.append(self._exchanged(remote, dry_run, same))
        return SyncReport(remotes=tuple(found), dry_run=dry_run)

    def status(self) -> SyncStatus:
        """Which remotes there are, what waits here, and what is known of the other machines."""
        # Of the other machines of a store, those come first whose newest file is newest.
        remotes = self._remotes.all()
        states = tuple(map(self._state, remotes))
        scopes = {scope for state in states for scope in state.here}
        stores = [store for store in self._workspace.own_stores if store.scope in scopes]
        return SyncStatus(
            machine=self._remotes.machine().name if remotes else "",
            remotes=states,
            waiting={store.scope: count_unsent(store) for store in stores},
            machines=tuple(
                OtherMachine(
                    name=one.name,
                    scope=store.scope,
                    heard=one.heard,
                    version=one.version,
                    problem=state.problems.get(writer, ""),
                )
                for store, state in zip(stores, map(state_of, stores), strict=True)
                for writer, one in sorted(
                    {**dict.fromkeys(state.problems, UNKNOWN), **state.machines}.items(),
                    key=lambda item: -item[1].heard,
                )
            ),
            after_session=self._workspace.config.get("sync.after_session"),
            versions=sum(synced.waiting_versions(store) for store in stores),
        )

    def remove(self, name: str, *, only_here: bool = False) -> RemoteState:
        """Forget a remote with its key; what was sent stays there, what was received stays here.

        Args:
            only_here: this project takes part no longer; the remote and other stores stay.

        Raises:
            NotFound: there is no such remote, or this project takes no part in it.
        """
        remote = self._remotes.get(name)
        if not only_here:
            return self._state(self._remotes.remove(name))
        own = [key for key in self._project_keys() if key in remote.stores]
        if not own:
            raise NotFound(f"This project takes no part in {name}. Nothing was changed.")
        return self._state(self._remotes.note(name, dict.fromkeys(own)))

    def change_passphrase(self, name: str, passphrase: AskPassphrase) -> None:
        """Let another passphrase open the key of a remote; machines that have it need nothing.

        Raises:
            UsageError: the passphrase is too short, or the remote is not encrypted.
            SyncError: the remote cannot be reached; nothing was changed.
        """
        remote = self._remotes.get(name)
        if not remote.is_encrypted:
            raise UsageError(f"The files of {name} are not encrypted. Nothing was changed.")
        carrier, keys = self._remotes.carrier(remote), self._remotes.key_path(name)
        encryption.change_passphrase(carrier, keys, passphrase(True))

    def name_machine(self, name: str) -> str:
        """Call this machine `name` from now on, in lists of the other machines; its name then.

        Raises:
            UsageError: nothing of the name can be printed.
        """
        return self._remotes.rename_machine(name).name

    def renew_files(self) -> None:
        """Write the files for other machines again without what was scrubbed or deleted for good.

        The remotes follow at the next run. Where an exchange runs meanwhile, that does it, or the
        next one.
        """
        stores = [
            store
            for store in self._workspace.own_stores
            if store.writable and state_of(store).writer
        ]
        if not stores:
            return
        with self._remotes.lock() as alone:
            for store in stores if alone else ():
                StoreExchange(store, self._remotes.machine().name).write()

    # --- by what this project is known

    def _project_keys(self) -> tuple[str, ...]:
        """The keys of this project, the best first; none without git and a name."""
        root = self._workspace.project.root
        store = self._workspace.existing("project")
        named = store.meta(NAMED_META) if store is not None else None
        if named:
            return (identity.named_key(named),)
        if root is not None and not self._git_keys:
            self._git_keys = identity.project_keys(root)  # once, because it runs git
        return self._git_keys

    def _keys_to_add(self, known_as: str, everywhere: bool) -> dict[str, str]:
        """The keys of the stores that a user adds, each with what the list of remotes calls it."""
        project = self._workspace.project
        found: dict[str, str] = {}
        if project.root is not None:
            if not self._is_trusted():
                raise UsageError(UNTRUSTED.replace("exchanged", "added"))
            keys = (identity.named_key(known_as),) if known_as else self._project_keys()
            if keys:
                found[keys[0]] = known_as or project.name
            elif not everywhere:
                raise UsageError(
                    "No other machine can know this project, because git has neither a commit nor "
                    "a remote of it. Nothing was added. Commit something first, or give the "
                    "project one name on all machines: --as NAME"
                )
        elif not everywhere:
            raise UsageError("This folder is no project. Nothing was added. Use --global.")
        return found | ({identity.GLOBAL: identity.GLOBAL} if everywhere else {})

    def _is_trusted(self) -> bool:
        store = self._workspace.existing("project")
        return store is None or trust.trusted(self._workspace.project, store.identity)

    # --- adding a remote

    def _add_remote(
        self, name: str, target: str, passphrase: AskPassphrase, encrypt: bool | None, force: bool
    ) -> None:
        if not target:
            self._remotes.get(name)  # raises: there is none
        chosen = targets.target_of(target)
        draft = Remote(
            name=name, kind=chosen.kind, address=chosen.address, is_encrypted=False, added=0.0
        )
        carrier = self._remotes.carrier(draft)
        if not force:
            targets.refuse_code_repository(chosen, self._workspace.project.root)
        self._remotes.discard(name)
        try:
            try:
                carrier.fetch()
                there = carrier.names()
            except NotReady:
                # It holds nothing, and is made ready once all else is known.
                there = []
            others = carrier.other_branches()
            if others and not force:
                raise UsageError(
                    f"{chosen.shown} is used for something else: it has the branch {others[0]}. "
                    "Nothing was added. Make an empty private repository for your memories, or "
                    "use --force."
                )
            is_encrypted = _is_encrypted(carrier, there, chosen, encrypt)
            words = (
                encryption.checked_passphrase(passphrase(encryption.KEY_FILE not in there))
                if is_encrypted
                else ""
            )
            carrier.prepare()
            if is_encrypted:
                encryption.unlock(carrier, self._remotes.key_path(name), words)
            self._remotes.add(name, chosen, encrypted=is_encrypted, now=self._workspace.clock())
        except BaseException:
            # A remote that was not added leaves no folder and no key behind.
            self._remotes.discard(name)
            raise

    # --- exchanging

    def _taking_part(self, remote: Remote) -> list[TakingPart]:
        """The stores of this project that take part in a remote, whether they are there or not."""
        found = []
        keys = self._project_keys()
        if any(key in remote.stores for key in keys):
            # A project that git knows by both keys has its first commit's first.
            found.append(TakingPart("project", keys, keys[1] if len(keys) > 1 else ""))
        if identity.GLOBAL in remote.stores:
            found.append(TakingPart("global", (identity.GLOBAL,)))
        return found

    def _exchanged(self, remote: Remote, dry_run: bool, same: bool) -> SyncedRemote:
        try:
            stores = self._taking_part(remote)
            left = [each for each in stores if each.scope == "project" and not self._is_trusted()]
            done = self._run(remote, [each for each in stores if each not in left], dry_run, same)
        except (SyncError, StoreError, OSError) as error:
            if not dry_run:
                self._remotes.note(remote.name, error=str(error))
            return SyncedRemote(name=remote.name, error=str(error))
        if not dry_run:
            self._remotes.note(remote.name, succeeded=self._workspace.clock(), error="")
        refused = [SyncedStore(scope=each.scope, problems=(UNTRUSTED,)) for each in left]
        return replace(done, stores=(*refused, *done.stores))

    def _run(
        self, remote: Remote, stores: list[TakingPart], dry_run: bool, same: bool
    ) -> SyncedRemote:
        """Exchange; where another machine has this one's id, once more with another one."""
        cipher = self._cipher(remote)

        def run() -> RemoteRun:
            return RemoteRun(self._workspace, self._remotes, remote, cipher, self._scrub, same=same)

        if dry_run:
            return run().rehearsed(stores)
        try:
            return run().exchanged(stores)
        except DivergedIdentity:
            self._remotes.renew_machine()
            return run().exchanged(stores)

    def _scrub(self, store: Store, texts: Sequence[str]) -> None:
        """Remove what the patterns find, and these texts."""
        patterns = self._workspace.config.get("redact.extra")
        scrub.scrub(store, scrub.SecretFinder([*patterns, *map(re.escape, texts)]), "worker")
        scrub.rebuild_derived(self._workspace)

    def _cipher(self, remote: Remote) -> encryption.Cipher:
        if not remote.is_encrypted:
            return encryption.NoCipher()
        found = encryption.saved(self._remotes.key_path(remote.name))
        if found is None:
            raise SyncError(
                f"The key of {remote.name} is not on this machine any more. Nothing was "
                f"exchanged. Give the passphrase again: cortex sync remove {remote.name}, then "
                "cortex sync add"
            )
        return found

    def _state(self, remote: Remote) -> RemoteState:
        return RemoteState(
            name=remote.name,
            kind=remote.kind,
            address=remote.target.shown,
            encrypted=remote.is_encrypted,
            added=remote.added,
            succeeded=remote.succeeded,
            error=remote.error,
            stores=tuple(dict.fromkeys(remote.stores.values())),
            here=tuple(each.scope for each in self._taking_part(remote)),
        )


def _is_encrypted(
    carrier: Carrier, names: Sequence[str], target: targets.Target, wanted: bool | None
) -> bool:
    """Whether the files of a remote are encrypted: as those of these names are, if any are there.

    Raises:
        UsageError: something else is wanted.
        SyncError: they are encrypted, and there is no key.
    """
    there = encryption.KEY_FILE in names
    one = list(filter(is_entry, names))[:1]
    # What one machine encrypted stays so, whatever whoever keeps the files takes away.
    if not there and any(data.startswith(encryption.SEALED) for _, data in carrier.read(one)):
        raise SyncError(
            f"The files at {target.shown} are encrypted, and their key {encryption.KEY_FILE} is "
            "gone from there. Nothing was added. On a machine that takes part, run cortex sync "
            "passphrase NAME: that puts it back."
        )
    if not there and not any(map(is_entry, names)):
        return target.is_hosted if wanted is None else wanted
    if wanted is None and target.is_hosted and not there:
        raise UsageError(
            f"The files at {target.shown} are not encrypted, so its host can read them. Nothing "
            "was added. If another machine of yours added it so on purpose: --no-encrypt"
        )
    if wanted not in (None, there):
        how = "encrypted" if there else "not encrypted"
        raise UsageError(
            f"The files at {target.shown} are {how}, as another machine added it. Nothing was "
            f"added. Leave out {'--encrypt' if wanted else '--no-encrypt'}."
        )
    return there
