"""How confidence fades in each lifecycle model: the formulas, and the moment they reach a bound."""

from __future__ import annotations

from dataclasses import replace
from math import e, exp, log2

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.base import decay
from cortex_core.base.decay import DAY, HALF_LIFE, IMPORTANCE, REINFORCEMENT, Pace
from cortex_core.base.kinds import Kinds
from cortex_core.records.memory import Memory
from tests.conftest import Clock


def test_half_life_halves_and_use_and_a_central_place_double_it() -> None:
    pace = Pace(30)
    assert decay.confidence(0.8, 0, 30 * DAY, pace) == pytest.approx(0.4)
    assert decay.confidence(0.8, 0, 60 * DAY, pace, access_count=11) == pytest.approx(0.4)
    assert decay.confidence(
        0.8, 0, 120 * DAY, pace, access_count=11, centrality=0.6
    ) == pytest.approx(0.4)
    assert decay.confidence(0.8, 0, 900 * DAY, Pace(None)) == 0.8


def test_reinforcement_is_ninety_days_times_weight_times_use() -> None:
    pace = Pace(7, 1.2, REINFORCEMENT)
    assert decay.confidence(0.5, 0, 180 * DAY, pace) == pytest.approx(1.2 * 0.25)
    assert decay.confidence(0.5, 0, 360 * DAY, pace, access_count=2) == pytest.approx(3.6 / 16)


def test_importance_falls_by_e_to_the_0_03_a_day() -> None:
    pace = Pace(7, 1.3, IMPORTANCE)
    assert decay.confidence(0.5, 0, 100 * DAY, pace, priority=8) == pytest.approx(
        0.8 * e**-3 * 0.5 * 1.3
    )
    assert decay.confidence(0.5, 0, 40 * DAY, pace, priority=6, access_count=3) == pytest.approx(
        0.6 * exp(-1.2) * log2(4) * 1.3
    )


@given(
    model=st.sampled_from(decay.MODELS),
    initial=st.floats(0.05, 1),
    priority=st.integers(1, 10),
    used=st.integers(0, 500),
    central=st.floats(0, 1),
    life=st.one_of(st.none(), st.floats(1, 400)),
    weight=st.floats(0.8, 1.4),
    threshold=st.floats(0.01, 0.6),
    days=st.floats(0, 3000),
)
def test_it_is_a_share_never_rises_and_meets_its_bound_when_foretold(
    model: str,
    initial: float,
    priority: int,
    used: int,
    central: float,
    life: float | None,
    weight: float,
    threshold: float,
    days: float,
) -> None:
    pace = Pace(life, weight, model)

    def at(moment: float) -> float:
        return decay.confidence(
            initial, 0, moment, pace, priority=priority, access_count=used, centrality=central
        )

    assert 0 <= at((days + 1) * DAY) <= at(days * DAY) <= 1
    moment = decay.falls_below(
        threshold, initial, 0, pace, priority=priority, access_count=used, centrality=central
    )
    if moment is None:
        assert model == HALF_LIFE and life is None
    elif moment > 0:
        assert at(moment) == pytest.approx(threshold)
    else:
        assert at(0) <= threshold


def test_a_pinned_memory_never_fades() -> None:
    for model in decay.MODELS:
        pace = Pace(7, 1.0, model)
        assert decay.confidence(0.9, 0, 9999 * DAY, pace, pinned=True) == 0.9
        assert decay.falls_below(0.3, 0.9, 0, pace, pinned=True) is None


@pytest.mark.parametrize(
    ("model", "days"), [(HALF_LIFE, 157), (REINFORCEMENT, 299), (IMPORTANCE, 64)]
)
def test_each_archives_by_its_own_threshold(
    cortex: Cortex, clock: Clock, model: str, days: int
) -> None:
    cortex.settings.set("lifecycle.model", model)
    memory = cortex.remember("Staging gives its tokens a shorter life.", kind="fact")
    clock.now += (days - 2) * DAY
    assert cortex.lifecycle.run(dry_run=True).archived == ()
    clock.now += 4 * DAY
    assert [one.id for one in cortex.lifecycle.run().archived] == [memory.id]


def test_a_threshold_that_was_set_holds_in_every_model(cortex: Cortex) -> None:
    cortex.settings.set("lifecycle.model", IMPORTANCE)
    assert cortex.config.archive_below == 0.05
    cortex.settings.set("lifecycle.archive_below", 0.2)
    assert cortex.config.archive_below == 0.2


@pytest.mark.parametrize(
    ("confidence", "name"),
    [
        (1.0, "active"),
        (0.5, "active"),
        (0.4999, "fading"),
        (0.2, "fading"),
        (0.19, "dormant"),
        (0.05, "dormant"),
        (0.049, "archived"),
        (0.0, "archived"),
    ],
)
def test_the_bands_of_confidence(confidence: float, name: str) -> None:
    memory = Memory(
        id="n001", content="", title="", kind="fact", scope="project", confidence=confidence
    )
    assert (decay.band(confidence), memory.band) == (name, name)
    assert replace(memory, pinned=True).band == "active"


def test_an_imported_type_keeps_its_published_weight_in_that_model_alone() -> None:
    published = Kinds(model=IMPORTANCE)
    assert published.pace("gotcha", "error").weight == 0.8
    assert published.pace("fact", "configuration").weight == 1.1
    assert published.pace("decision", "configuration").weight == 1.3  # the user changed the kind
    assert published.pace("fact", None).weight == 0.9
    assert Kinds().pace("gotcha", "error").weight == 1.2
