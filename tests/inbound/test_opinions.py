"""Answers to a vote in one's own words: a pure function says yes, no or neither."""

import pytest

from games.inbound.doubts import doubt, opinion

YES = {
    "en": """
        yes
        Yes please
        Sure
        Sure thing!
        OK
        Okay, fine with me
        Fine by me
        Agreed
        I agree
        I'm in favour
        I'm for it
        All for it!
        No problem
        No objection
        Absolutely
        Of course!
        Go ahead
        Why not?
        Sounds good to me
        Works for me
        I don't mind
        Nothing against it
        Yes, the kids are ill, I'd be glad of a break
        Definitely yes
        Count me in
        By all means
        That's fine
        I am not against it
        Good idea
    """,
    "de": """
        ja
        Ja, klar, kein Problem!
        Einverstanden
        Klar doch
        ja natürlich
        Bin dafür
        Gerne
        Na klar
        Kein Problem
        Keine Einwände
        Nichts dagegen
        Ich habe nichts dagegen
        Von mir aus
        Meinetwegen
        Passt für mich
        Ich stimme zu
        Geht in Ordnung
        Gute Idee
        Auf jeden Fall
        Selbstverständlich
        Ok, machen wir so
        Ja, ich bin nächste Woche auch nicht da
        Geht klar
        Warum nicht?
        Sicher
    """,
    "fr": """
        oui
        bien sûr
        pas de problème
        je suis d'accord
        D'accord
        Oui, volontiers
        Pas de souci
        Ça me va
        Ça marche
        Aucune objection
        Je n'ai rien contre
        Avec plaisir
        Je vote pour
        Je suis pour
        Entendu
        Parfait
        Bonne idée
        Évidemment
        Pourquoi pas ?
        Absolument
        Oui, je ne suis pas là non plus
        ok pour moi
        Je ne suis pas contre
        Tout à fait d'accord
        C'est d'accord
    """,
}
NO = {
    "en": """
        no
        No thanks
        Nope
        No way
        I'd rather not
        I disagree
        I don't agree
        I am against it
        I'm not in favour
        Sorry, no
        No, I prefer to go on
        No, let's keep playing
        Not a good idea
        I object
        I vote no
        Please, no
        Never
        No, sorry, I don't want that
        I'd prefer to continue
        Let's go on playing
        Absolutely not
        Definitely not
        Not for me
        I refuse
        Out of the question
    """,
    "de": """
        nein
        Nein danke
        Nein, lieber nicht
        Lieber nicht
        Ich bin dagegen
        Dagegen
        Nicht einverstanden
        Damit bin ich nicht einverstanden
        Auf keinen Fall
        Ich stimme nicht zu
        Keine gute Idee
        Ich lehne ab
        Ich möchte weiterspielen
        Lass uns weiterspielen
        Nö
        Nein, ich spiele lieber weiter
        Das passt mir nicht
        Kommt nicht in Frage
        Nein, das will ich nicht
        Ich stimme mit Nein
        Besser nicht
        Tut mir leid, nein
        Eher nicht
        Niemals
    """,
    "fr": """
        non
        Non merci
        Non, je préfère continuer
        Non, désolée, je préfère continuer
        Je suis contre
        Pas d'accord
        Je ne suis pas d'accord
        Je refuse
        Plutôt pas
        Je préfère continuer
        Hors de question
        Pas question
        Je vote contre
        Jamais
        Désolé, non
        Mauvaise idée
        Ça ne me va pas
        Je préfère ne pas
        Continuons
        Non, continuons à jouer
        Surtout pas
        Je m'y oppose
        Pas pour moi
        Ah non !
    """,
}
NEITHER = """
    yes / but only if we go on in January
    Yes, but not before Monday
    Not yet
    maybe
    I don't care
    Yes if Ben agrees
    yes?
    what is this about?
    Yes / no, wait
    Let me think
    Maybe later, when Ben asks for it
    You have three days for it
    I'll decide tomorrow
    Ben said yes
    A ring
    Thanks
    See you on Sunday
    Yes, unless Ben minds
    only if Cleo agrees
    Yes, later
    Hello
    I am away on Sunday
    Nice game!
    ja / aber nur bis Sonntag
    Ja, wenn Ben auch will
    Noch nicht
    vielleicht
    egal
    Ja, aber erst nächste Woche
    Ich muss noch überlegen
    Worum geht es?
    oui / mais seulement si on reprend en janvier
    Oui, si Ben est d'accord
    Pas encore
    peut-être
    Ça dépend
    Comme vous voulez
    Je dois réfléchir
    Oui, sauf si Ben refuse
    oui et non
    yes and no
    ja und nein
"""


def lines(text: str) -> list[str]:
    """The lines of a block, " / " for a line break."""
    return [line.strip().replace(" / ", "\n") for line in text.strip().split("\n")]


@pytest.mark.parametrize("language", YES)
def test_a_natural_yes_agrees_and_a_natural_no_does_not(language: str) -> None:
    for texts, answer in ((lines(YES[language]), True), (lines(NO[language]), False)):
        assert len(texts) >= 20
        assert [text for text in texts if opinion(text, "cancel") is not answer] == []
        assert [
            text for text in texts if opinion(f"Hi Ben,\n\n{text}", "pause") is not answer
        ] == []


def test_what_is_neither_or_has_a_condition_answers_nothing() -> None:
    texts = lines(NEITHER)
    assert len(texts) >= 30
    assert [text for text in texts if opinion(text, "pause") is not None] == []


@pytest.mark.parametrize("language", YES)
def test_a_condition_behind_any_yes_makes_it_none(language: str) -> None:
    behind = {
        "en": ("but only if we go on in January", "unless Ben minds", "but not before Monday"),
        "de": ("aber nur, wenn wir im Januar weiterspielen", "es sei denn, Ben will nicht"),
        "fr": ("mais seulement si on reprend en janvier", "sauf si Ben refuse"),
    }[language]
    for text in lines(YES[language]):
        for condition in behind:
            for joined in (f"{text}, {condition}", f"{text}\n{condition}"):
                assert opinion(joined, "pause") is None, joined


@pytest.mark.parametrize(
    ("text", "resumes"),
    [("Let’s go on", True), ("Lass uns weiterspielen", True), ("Continuons", True)],
)
def test_to_go_on_is_a_no_unless_that_is_what_is_asked(text: str, resumes: bool) -> None:
    assert opinion(text, "resume") is resumes
    assert opinion(text, "cancel") is not resumes


def test_both_answers_are_none() -> None:
    for text in ("yes\nno", "no\nhold on, I mean yes", "Oui et non", "Ja. Nein."):
        assert opinion(text, "cancel") is None, text


@pytest.mark.parametrize("text", ["Why not?", "Thanks for asking, Ben. Yes!", "👍", "👎 no"])
def test_a_question_that_is_an_answer_and_what_stands_before_one_do_no_harm(text: str) -> None:
    assert opinion(text, "cancel") is not None


def test_no_doubt_is_slow() -> None:
    """Its patterns look at a bounded text."""
    for text in ("!" * 60_000, "but if " * 9_000, "wait " * 9_000, "-" * 60_000, "- a " * 9_000):
        doubt(text)
        opinion(text, "cancel")
