"""What a member does: join a team, propose memories, decide on the proposals of others, and keep
the replica up to date. What needs the hub says so when it cannot be reached; nothing else waits.
"""

import json
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cortex_core.base import hook_io, text
from cortex_core.base.errors import ModelUnavailable, NotFound, TeamError, UnlikeProject, UsageError
from cortex_core.base.identity import are_unlike, named_key, project_keys
from cortex_core.base.project import TEAMS, mark
from cortex_core.embeddings.protocol import Embedder
from cortex_core.records import procedure_plan
from cortex_core.records.memory import Memory
from cortex_core.records.teams import (
    HubHit,
    Item,
    Member,
    ProposalReport,
    Proposed,
    PullReport,
    Request,
    RequestKind,
    RequestReview,
    RequestStatus,
    Rights,
    TeamState,
    TeamStatus,
    Verdict,
)
from cortex_core.redaction import quarantine
from cortex_core.store import memory_counts, memory_lookup
from cortex_core.store.workspace import Ids, Workspace
from cortex_core.team import replica
from cortex_core.team.hub import search as hub_search
from cortex_core.team.hub.client import Hub

ADDRESS = "hub.json"
"""The file next to a replica that says where its hub is."""

SHORTEST = 4
"""Characters of a request's id that name it."""


class Teams:
    """The team of a project: its hub, its replica here, and the requests of its members."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    # --- joining and leaving

    def migrate(self, url: str, *, plain: bool = False) -> tuple[str, ...]:
        """Bring the schema of a hub to the newest version; the steps that were taken.

        Nothing else ever changes the schema.

        Raises:
            TeamError: the server is too old or cannot be reached, or rights are missing.
        """
        with self._at(url, plain) as hub:
            return hub.migrate()

    def init(
        self,
        url: str,
        name: str,
        *,
        display: str = "",
        self_approval: bool = False,
        project: str = "",
        plain: bool = False,
    ) -> TeamStatus:
        """Make a team on a hub, whose maintainer the user becomes, and join it here.

        Args:
            self_approval: whether members may approve what they propose themselves.
            project: a name for a project without git; the same on every machine.
        """
        with self._at(url, plain) as hub:
            team, key = str(uuid.uuid4()), self._key(project)
            hub.create_team(team, name, display, self_approval=self_approval)
            return self._follow(hub, url, _chosen(hub.teams(), team), plain, key)

    def join(
        self,
        url: str,
        team: str = "",
        *,
        project: str = "",
        plain: bool = False,
        same: bool = False,
    ) -> TeamStatus:
        """Follow a team of which the user is a member, and read its memories for this project.

        Args:
            team: its name or id; may be left out where the user is in one team of the hub.
            project: a name for a project without git; the same on every machine.
            same: take a project with the same first commit and another origin for this one.

        Raises:
            TeamError: the hub refuses or cannot be reached.
            UnlikeProject: a project of the team has the same first commit and another origin.
            UsageError: the project has no key, or several teams may be meant.
        """
        with self._at(url, plain) as hub:
            key, chosen = self._key(project), _chosen(hub.teams(), team)
            # A fork has the first commit of the original, and other memories.
            if not same and are_unlike(self._origins(key), hub.origins(chosen.id, key)):
                raise UnlikeProject(
                    f"A project of team {chosen.name} has the same first commit and another "
                    "origin: this is a fork of it, or made from one template. Nothing was changed. "
                    "If they are one project, run this in a terminal and say so. If not, name this "
                    "one: --project-name"
                )
            return self._follow(hub, url, chosen, plain, key)

    def leave(self, *, membership: bool = False) -> str:
        """Stop following the team here and remove its replica; returns the team's name.

        Args:
            membership: leave the team itself too, on the hub. What was approved stays.
        """
        what, folder = self._followed(), self._folder()
        if membership:
            with self._hub() as hub:
                hub.leave(what.team)
        self._workspace.let_go("team")
        shutil.rmtree(folder, ignore_errors=True)
        return what.name

    # --- members

    def members(self, within: float | None = None) -> list[Member]:
        """The members of the team, those who left at the end; all is well with the hub then.

        Args:
            within: seconds that the hub may take; None: as long as it takes.

        Raises:
            TeamError: the hub is unreachable, older or newer than this Cortex, another one, was
                restored from a backup, or has the user as a member no more.
        """
        membership = self._followed()
        with self._hub(within) as hub:
            _own(hub, membership)
            replica.check_places(membership, hub.places(membership.team, list(membership.hashes)))
            return hub.members(membership.team)

    def set_member(self, role: str, rights: Rights | None = "member", display: str = "") -> None:
        """Let a login of the database into the team, or take it out; maintainers may.

        Args:
            rights: None takes it out. What it proposed stays.
        """
        with self._hub() as hub:
            team = self._followed().team
            if rights is None:
                hub.leave(team, role)
            else:
                hub.add_member(team, role, display, rights)

    # --- requests

    def propose(
        self, ids: Ids, reason: str = "", *, everywhere: bool = False, remove: bool = False
    ) -> ProposalReport:
        """Ask the team to take memories of one's own, or to change or remove some of its own.

        Nothing is shared before this, and nothing counts before another member approved it.

        Args:
            everywhere: for every project of the team, not for this one alone.
            remove: that the team removes these memories of its own.

        Raises:
            UsageError: a memory is suggested, quarantined or archived.
            TeamError: the hub refuses it, or cannot be reached; nothing was sent.
        """
        membership = self._followed()
        names = [ids] if isinstance(ids, str) else list(ids)
        named = (self._named(name, of_team=remove) for name in names)
        memories = list({memory.id: memory for memory in named}.values())
        _check(memories, remove=remove)
        items = tuple(self._item(memory, remove=remove) for memory in memories)
        # A memory that the team has already is changed, not added.
        kind: RequestKind = "add" if not any(item.base for item in items) else "change"
        return self._send(
            "remove" if remove else kind,
            items,
            memories,
            reason,
            project="" if everywhere else membership.project,
        )

    def change(
        self, name: str, content: str = "", title: str = "", reason: str = ""
    ) -> ProposalReport:
        """Ask the team to have other words for a memory of its own."""
        memory = self._named(name, of_team=True)
        if memory.scope != "team":
            raise UsageError(
                f"“{memory.title}” is not in the team. Nothing was sent. Edit your own with: "
                "cortex edit"
            )
        item = self._item(memory)
        shape = _reworded(item.memory or {}, content, title)
        wanted = replace(memory, content=shape["content"], title=shape["title"])
        project = str(memory.origin.get("project", ""))
        return self._send(
            "change", (replace(item, memory=shape),), [wanted], reason, project=project
        )

    def requests(self, status: RequestStatus | None = "open") -> list[Request]:
        """The requests of the team, the oldest first; None: of every status."""
        with self._hub() as hub:
            return hub.requests(self._followed().team, status)

    def waiting(self) -> list[RequestReview]:
        """The open requests, the oldest first, with what each would change here."""
        requests, what = self.requests(), self._followed()
        keys = self._keys(what)
        return [
            RequestReview(
                request=request,
                team=what.name,
                is_mine=request.author == what.role,
                memories=self.proposed(request),
                reach=("project" if request.project in keys else "elsewhere")
                if request.project
                else "team",
            )
            for request in requests
        ]

    def request(self, name: str) -> Request:
        """The request whose id begins with `name`.

        Raises:
            NotFound: there is none, or there are several.
        """
        with self._hub() as hub:
            return self._request(hub, name)

    def proposed(self, request: Request) -> tuple[Proposed, ...]:
        """What a request would change here, memory by memory."""
        store, what = self._workspace.team_replica(), self._followed()
        return tuple(
            replica.proposed(store, item, request, what, self._workspace.config)
            for item in request.items
        )

    def decide(
        self, name: str, verdict: Verdict, *, note: str = "", content: str = "", title: str = ""
    ) -> PullReport:
        """Approve, reject or withdraw a request, then read what follows from it.

        Args:
            content: other words for the only memory of the request, which become a request of the
                user's own; where the user may decide alone, they are approved instead.
            title: another title for it.
        """
        with self._hub() as hub:
            request = self._request(hub, name)
            items = _edited(request, content, title) if content or title else None
            entry = hub.decide(request.id, verdict, items=items, note=note)
            report = self._pull_own(hub)
            if items is None or entry is not None:
                return report
            waiting = reversed(hub.requests(self._followed().team))
            return replace(
                report, resent=next((each.id for each in waiting if each.items == items), "")
            )

    def revert(self, name: str, reason: str = "") -> PullReport:
        """Take an approved request back, for everyone."""
        with self._hub() as hub:
            hub.revert(self._request(hub, name).id, str(uuid.uuid4()), reason)
            return self._pull_own(hub)

    def erase(self, ids: Ids) -> PullReport:
        """Remove memories from the team for good, and their words from its past; maintainers may.

        Copies in a member's own store are not touched.

        Args:
            ids: of the team's memories; whole ids of memories that are not known here, too.
        """
        names = [ids] if isinstance(ids, str) else list(ids)
        whole = [
            name if text.is_uuid(name) else self._named(name, of_team=True).id for name in names
        ]
        with self._hub() as hub:
            hub.erase(self._followed().team, str(uuid.uuid4()), whole)
            return self._pull(hub)

    def search(
        self, query: str, *, limit: int = 10, kinds: Sequence[str] = (), project: str | None = None
    ) -> list[HubHit]:
        """The memories of the whole team that answer a query best, of its other projects too.

        The hub is asked, with the query's words and its vector. What would wait in quarantine here
        is left out.

        Args:
            project: the key of the only project that counts; None: all of them.

        Raises:
            TeamError: the hub refuses, or cannot be reached.
        """
        what, model = self._followed(), _shipped()
        with self._hub() as hub:
            hits = hub_search.search(
                hub, what.team, query, embedder=model, project=project, kinds=kinds, limit=limit
            )
        # An agent may ask, so what would wait in quarantine here is not shown by another door.
        return [
            hit
            for hit in hits
            if not quarantine.reason_of(text.texts_in(dict(hit.memory)), by_user=False)
        ]

    def fill_vectors(self, within: float | None = None) -> int:
        """Give memories of the team the words and vectors that search on the hub lacks; how many
        took vectors.

        Args:
            within: seconds after which it is given up; None: as long as the hub takes.

        Raises:
            TeamError: the hub refuses, or cannot be reached.
        """
        team = self._followed().team
        with self._hub(within) as hub:
            hub_search.fill_words(hub, team)
            model = _shipped() if hub.unsearchable(team, 1) else None
            return hub_search.fill_vectors(hub, team, model) if model else 0

    # --- the replica

    def pull(self, within: float | None = None) -> PullReport:
        """Read what the team approved since.

        Why it failed is kept for the status until it succeeds.

        Args:
            within: seconds after which it is given up; None: as long as the hub takes.
        """
        try:
            with self._hub(within) as hub:
                return self._pull(hub)
        except TeamError as error:
            replica.follow(
                self._workspace.team_replica(), replace(self._followed(), problem=str(error))
            )
            raise

    def rebuild(self) -> TeamStatus:
        """Make the replica again from what the team has; nothing is removed unless the hub answers.

        Raises:
            TeamError: the hub cannot be reached, or its address is not known.
        """
        held, (url, plain) = self._saved(), self._saved_address()
        if not held.get("team"):
            raise TeamError(
                "Cortex no longer knows the address of the team's hub. Nothing was changed. Leave "
                "the team and join it again: cortex team leave, cortex team join URL"
            )
        with self._at(url, plain) as hub:
            team = _chosen(hub.teams(), held["team"])
            self._workspace.let_go("team")
            shutil.rmtree(self._folder())
            return self._follow(hub, url, team, plain, held["key"])

    def status(self, *, ask: bool = False, within: float | None = None) -> TeamStatus | None:
        """What is followed here; None for a project without a team.

        Args:
            ask: ask the hub as well: how many requests wait, and what is new.
            within: seconds that the hub may take; None: as long as it takes.

        Raises:
            TeamError: the hub was asked, and refuses or cannot be reached.
        """
        store = self._workspace.existing("team")
        what = replica.followed(store) if store else None
        if store is None or what is None:
            return None
        memories, unseen = memory_counts.seen_and_unseen(store)
        held = TeamStatus(
            team=what.name,
            hub=str(self._saved().get("shown", "")),
            role=what.role,
            sequence=what.sequence,
            read=what.read or None,
            memories=memories,
            unseen=unseen,
            problem=what.problem,
        )
        # The replica answers this alone, without a network.
        if not ask:
            return held
        with self._hub(within) as hub:
            waiting = _own(hub, what).open_requests
            behind = hub.count_entries(what.team, what.sequence, self._keys(what))
        return replace(held, waiting=waiting, behind=behind)

    # --- inside

    def _pull(self, hub: Hub) -> PullReport:
        membership, store = self._followed(), self._workspace.team_replica()
        _own(hub, membership)
        keys, config = self._keys(membership), self._workspace.config
        places = hub.places(membership.team, keys)
        if set(membership.hashes) != set(keys):  # new here, or the project has another key since
            membership = replica.begin(store, membership, places)
        changed, problems = self._take(hub, membership)
        replica.check_places(membership, places)
        received = replica.receive(
            store, hub.entries(membership.team, membership.sequence, keys), config
        )
        membership = self._followed()
        replica.follow(store, replace(membership, read=self._workspace.clock(), problem=""))
        return PullReport(
            team=membership.name,
            changed=changed + received[0],
            sequence=membership.sequence,
            problems=(*problems, *received[1]),
        )

    def _take(self, hub: Hub, membership: replica.Followed) -> tuple[int, list[str]]:
        """Go on with joining where it has come to; how many memories differ, and problems."""
        store, changed, problems = self._workspace.team_replica(), 0, list[str]()
        while membership.taken is not None:
            page = hub.memories(membership.team, list(membership.hashes), membership.taken)
            here, refused = replica.take(store, membership, page, self._workspace.config)
            changed, problems = changed + here, problems + refused
            membership = self._followed()
        return changed, problems

    def _pull_own(self, hub: Hub) -> PullReport:
        """Read what follows from one's own decision, and let the hub find it by its words."""
        report = self._pull(hub)
        hub_search.fill_words(hub, self._followed().team)
        return report

    def _keys(self, what: replica.Followed) -> list[str]:
        """The audiences to which this project belongs: everyone, and each key it has or had."""
        known = () if what.is_named else project_keys(self._root())
        return sorted({"", what.project, *what.hashes, *known})

    def _origins(self, key: str) -> tuple[str, ...]:
        """The key of the project's address at its git host, if its first commit is `key`."""
        first, *rest = project_keys(self._root()) or ("",)
        return tuple(rest) if first == key else ()

    def _key(self, project: str) -> str:
        """By what the team knows this project.

        Raises:
            UsageError: it has no repository with a commit, and no name was given.
        """
        key = named_key(project) if project else next(iter(project_keys(self._root())), "")
        if not key:
            raise UsageError(
                "This project has no git repository with a commit, so the team would not know it. "
                "Nothing was changed. Name it with --project-name."
            )
        return key

    def _follow(self, hub: Hub, url: str, team: TeamState, plain: bool, key: str) -> TeamStatus:
        """Begin to follow a team, or go on where it is followed already."""
        identity, store = hub.identity(), self._workspace.team_replica()
        before = replica.followed(store)
        if before is not None and before.team != team.id:
            raise UsageError(
                f"This project is in team {before.name}. Nothing was changed. Leave it first: "
                "cortex team leave"
            )
        # A name that is not made from the repository was chosen by the user, and stays.
        what = before or replica.Followed(
            hub=identity.id,
            epoch=identity.epoch,
            team=team.id,
            name=team.name,
            role=hub.role(),
            project=key,
            is_named=key not in (project_keys(self._root()) or (key,)),
        )
        for origin in self._origins(key):
            hub.note_origin(team.id, key, origin)
        self._save_address(url, plain, str(hub.address), team.id, key)
        replica.follow(store, what)
        self._pull(hub)
        found = self.status()
        assert found is not None
        return found

    def _root(self) -> str:
        root = self._workspace.project.root
        if root is None:
            raise UsageError(
                "A team belongs to a project, and this is none. Nothing was changed. Run it in a "
                "project, or choose one with --project."
            )
        return root

    def _folder(self) -> Path:
        return Path(self._workspace.project.home, TEAMS, mark(self._root()))

    def _followed(self) -> replica.Followed:
        store = self._workspace.existing("team")
        what = replica.followed(store) if store else None
        if what is None:
            raise UsageError(
                "This project has no team. Nothing was changed. Join one with: cortex team join URL"
            )
        return what

    def _named(self, name: str, *, of_team: bool) -> Memory:
        """The memory of that id; `of_team`: the team's, where one's own has the same id."""
        full = self._workspace.get(name)
        store = self._workspace.existing("team") if of_team else None
        return (
            store.memory(full.id) if store and memory_lookup.known_ids(store, (full.id,)) else full
        )

    def _item(self, memory: Memory, *, remove: bool = False) -> Item:
        """What a request says of a memory, and which entry wrote it as the team has it."""
        store = self._workspace.existing("team")
        theirs = next(iter(store.memories([memory.id])), None) if store else None
        base = int(theirs.origin.get("sequence", 0)) if theirs else 0
        return Item(id=memory.id, memory=None if remove else replica.shape_of(memory), base=base)

    def _send(
        self,
        kind: RequestKind,
        items: tuple[Item, ...],
        memories: Sequence[Memory],
        reason: str,
        *,
        project: str,
    ) -> ProposalReport:
        """Send a request about `memories`, as they are proposed."""
        membership = self._followed()
        request = Request(
            id=str(uuid.uuid4()),
            team=membership.team,
            project=project,
            kind=kind,
            reason=reason,
            items=items,
        )
        with self._hub() as hub:
            hub.propose(request)
        return ProposalReport(
            request=request.id, team=membership.name, kind=kind, memories=tuple(memories)
        )

    def _request(self, hub: Hub, name: str) -> Request:
        found = hub.requests_named(self._followed().team, name.strip())
        if len(name.strip()) < SHORTEST or len(found) != 1:
            raise NotFound(
                f"There is no request “{name[:40]}”, or several begin so. Nothing was changed. "
                "See: cortex team requests"
            )
        return found[0]

    # --- the address of the hub

    @contextmanager
    def _hub(self, within: float | None = None) -> Iterator[Hub]:
        """The team's hub, which may take `within` seconds; None: as long as it takes."""
        self._followed()
        with self._at(*self._saved_address(), within) as hub:
            yield hub

    def _at(self, url: str, plain: bool, within: float | None = None) -> Hub:
        return Hub(
            url, plain=plain, extra=self._workspace.config.get("redact.extra"), within=within
        )

    def _saved(self) -> dict[str, Any]:
        held = json.loads(hook_io.read(str(self._folder() / ADDRESS)) or "{}")
        return held if isinstance(held, dict) else {}

    def _saved_address(self) -> tuple[str, bool]:
        held = self._saved()
        return str(held.get("url", "")), bool(held.get("plain"))

    def _save_address(
        self, url: str, plain: bool, shown: str, team: str = "", key: str = ""
    ) -> None:
        """Keep where the hub is, readable by the user alone: it may hold a password."""
        hook_io.replace(
            str(self._folder() / ADDRESS),
            json.dumps({"url": url, "plain": plain, "shown": shown, "team": team, "key": key}),
        )


def _own(hub: Hub, what: replica.Followed) -> TeamState:
    """The team that is followed, as the hub has it.

    Raises:
        TeamError: the hub is another one, or the user is no longer a member.
    """
    replica.check_hub(what, hub.identity())
    found = next((team for team in hub.teams() if team.id == what.team), None)
    if found is None:
        raise TeamError(
            f"You are no longer a member of team {what.name}. Nothing was changed. To remove its "
            "memories from this machine: cortex team leave"
        )
    return found


def _chosen(teams: Sequence[TeamState], name: str) -> TeamState:
    """The team that is meant.

    Raises:
        UsageError: there is none, or several.
    """
    found = [team for team in teams if name in ("", team.id, team.name)]
    if len(found) == 1:
        return found[0]
    if not teams:
        raise UsageError(
            "You are in no team of this hub. Nothing was changed. Ask a maintainer to add you, or "
            "make a team: cortex team init"
        )
    several = len({team.name for team in teams}) < len(teams)
    names = ", ".join(
        sorted(f"{team.name} ({team.id})" if several else team.name for team in teams)
    )
    raise UsageError(
        f"{'Several teams may be meant' if found else f'You are in no team “{name[:40]}”'}. "
        f"Nothing was changed. Choose one with --team: {names}"
    )


def _shipped() -> Embedder | None:
    """The shipped model, whose vectors a hub has; None where it cannot be loaded."""
    from cortex_core.embeddings.local import shipped

    try:
        return shipped()
    except ModelUnavailable:
        return None


def _check(memories: Sequence[Memory], *, remove: bool) -> None:
    """Make sure that these memories can be proposed.

    Raises:
        UsageError: one of them cannot.
    """
    for memory in memories:
        # The first that holds is said: it names the command that is meant instead.
        is_theirs = memory.scope == "team"
        problems = (
            (
                remove and not is_theirs,
                "is not in the team. Nothing was sent. Remove your own with: cortex forget",
            ),
            (
                is_theirs and not remove,
                "is in the team already. Nothing was sent. To change it: cortex team propose; to "
                "remove it: cortex team propose --remove",
            ),
            (
                memory.status != "active",
                f"is {memory.status}. Nothing was sent. Only active memories can be proposed.",
            ),
        )
        for is_so, why in problems:
            if is_so:
                raise UsageError(f"“{memory.title}” {why}")


def _edited(request: Request, content: str, title: str) -> tuple[Item, ...]:
    """The only item of a request with other words."""
    if len(request.items) != 1 or request.items[0].memory is None:
        raise UsageError(
            "Only a request for one memory can be edited. Nothing was changed. Reject it, and "
            "propose the memories one by one."
        )
    (item,) = request.items
    return (replace(item, memory=_reworded(item.memory or {}, content, title)),)


def _reworded(shape: Mapping[str, Any], content: str, title: str) -> dict[str, Any]:
    """What a proposal says of a memory with other words; empty ones leave it as it is.

    A title made from the content changes with it, and so do the steps of a procedure.
    """
    from cortex_core.extract import wording

    made = dict(shape)
    if content and content != shape["content"]:
        if shape["title"] == wording.title(shape["content"]):
            made["title"] = wording.title(content)
        if details := shape.get("details"):
            made["details"] = procedure_plan.reworded(details, content)
        made["content"] = content
    return {**made, "title": title or made["title"]}
