"""Moves in people's own words, and talk that is no move, made from kinds of wordings and positions.

Written before anybody tried how they are read. A line of a kind has gaps: {f} is a figure, {c} an
item ({the}, {dat} with its article), {e} an explorer, {h} a hex it can reach, {s} a tile that can
sink, {v} a value, {x} a hex to place on, {to} where the shark can go. "~" stands before a word that
gets one typing error.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

LANGUAGES = ("en", "de", "fr")

Lines = dict[str, dict[str, str]]  # kind → language → lines

ATLANTIS: Lines = {
    "order of words": {
        "en": """
            with the {c} card I move {f}
            the {c} card for figure {f}
            {c}: figure {f}
            figure {f} moves by {the}
            {the} is what I play, with figure {f}
            moving piece {f} on the {c}
            {f} advances with {the}
            using {the}, figure {f} moves on
            play my {c} card on {f}
            {the} with {f}
        """,
        "de": """
            mit {dat} ziehe ich {f}
            {the} spiele ich mit {f}
            {c} auf Figur {f}
            Figur {f} zieht mit {dat}
            die Karte {c} für {f}
            ich spiele die Karte {c} mit {f}
            {f} rückt mit {dat} vor
            mit Figur {f} auf {the}
            zum Ziehen von {f} nehme ich {the}
            {c} mit Figur {f}
        """,
        "fr": """
            avec {the} je déplace {f}
            {the} avec {f}
            la carte {c} pour le pion {f}
            le pion {f} avance avec {the}
            pion {f}, carte {c}
            je joue la carte {c} avec {f}
            c'est {the} pour {f}
            {f} avance sur {the}
            pour {f}, {the}
            {c} sur le pion {f}
        """,
    },
    "polite forms": {
        "en": """
            could you move {f} with {the} for me
            would you please play {f} {c}
            I would love to play {f} {c}
            may I have {f} {c} please
            kindly move {f} using {the}
            if you please, {f} {c}
            please be so kind and move {f} with {the}
            I'd be glad to play {f} with {the}
            I want to play {f} {c}, if I may
            can I please move {f} with {the}
        """,
        "de": """
            könntet ihr bitte {f} mit {dat} ziehen
            würdest du bitte {f} mit {dat} ziehen
            ich hätte gern {f} {c}
            bitte sei so nett und zieh {f} mit {dat}
            darf ich bitte {f} mit {dat} ziehen
            ich würde sehr gerne {f} mit {dat} spielen
            sei so gut: {f} {c}
            wir möchten {f} mit {dat} bewegen
            ich bitte um {f} {c}
            bitte freundlichst {f} {c}
        """,
        "fr": """
            pourriez-vous déplacer {f} avec {the}
            j'aimerais bien jouer {f} avec {the}
            je voudrais avancer {f} avec {the}, merci
            veuillez jouer {f} {c}
            auriez-vous la gentillesse de jouer {f} {c}
            merci de jouer {f} {c}
            puis-je jouer {f} {c}, s'il vous plaît
            ayez la gentillesse de déplacer {f} avec {the}
            je souhaite jouer {f} {c}
            tu peux jouer {f} {c} pour moi stp
        """,
    },
    "separators": {
        "en": """
            {f}/{c}
            {f} / {c}
            {f} = {c}
            {f}={c}
            {f} > {c}
            {f}_{c}
            {f}; {c}
            {f}+{c}
            ({f}) {c}
            [{f}] {c}
            {f} & {c}
            {f}... {c}
            > {f} {c} <
            # {f} {c}
            {f}#{c}
            {f}.{c}
            {f}-{c}
            {f}  >>  {c}
        """,
        "de": """
            {f}/{c}
            {f} = {c}
            {f} / {c}
            {f} >> {c}
            {f}_{c}
            „{f}“ – „{c}“
            Figur: {f}; Karte: {c}
            Figur = {f}, Karte = {c}
            {f}+{c}
            [{f}/{c}]
            1) {f} {c}
        """,
        "fr": """
            {f}/{c}
            {f} = {c}
            {f} / {c}
            {f} >> {c}
            {f}_{c}
            « {f} » – « {c} »
            pion : {f} ; carte : {c}
            pion = {f}, carte = {c}
            {f}+{c}
            [{f}/{c}]
            1) {f} {c}
        """,
    },
    "typing errors": {
        "en": """
            {f} ~{c}
            I ~play {f} {c}
            {f} with the ~{c}
            ~figure {f} {c}
            ~please {f} {c}
            {f} ~and {c}
            move {f} with ~{c} please
            my ~move: {f} {c}
            {f} {c} ~thanks
        """,
        "de": """
            {f} ~{c}
            ich ~spiele {f} {c}
            {f} mit ~{c}
            ~Figur {f} {c}
            ~bitte {f} {c}
            ich ~ziehe {f} mit ~{c}
            mein ~Zug: {f} {c}
            {f} {c} ~danke
        """,
        "fr": """
            {f} ~{c}
            je ~joue {f} {c}
            {f} avec ~{c}
            ~figure {f} {c}
            ~merci, {f} {c}
            je ~déplace {f} avec ~{c}
            ~bonjour, {f} {c}
            mon ~coup : {f} {c}
        """,
    },
    "a greeting in the line": {
        "en": """
            Hi Bob {f} {c}
            Hello Alice and Bob {f} {c}
            hey guys {f} {c}
            Good evening everyone {f} with {the}
            Dear all my move is {f} {c}
            hi there, hope you are well, {f} {c}
            Morning! {f} {c}
            Hello from Berlin, {f} {c}
            yo, {f} {c}
            Hi team - {f} {c}
            Hi folks {f} {c} cheers Bob
        """,
        "de": """
            Hallo Bob {f} {c}
            Hallo ihr Lieben {f} {c}
            Hi Leute {f} mit {dat}
            Guten Abend zusammen {f} {c}
            Liebe Alice, lieber Bob: {f} {c}
            Moin Moin {f} {c}
            Grüß Gott, {f} {c}
            Hallo aus Berlin, {f} {c}
            Servus beinand {f} {c}
            Hallöchen, {f} {c}
            Schönen guten Morgen! {f} {c}
        """,
        "fr": """
            Salut Bob {f} {c}
            Bonjour à toutes et à tous {f} {c}
            coucou les amis {f} {c}
            Bonsoir tout le monde {f} avec {the}
            Chère Alice, cher Bob : {f} {c}
            Bonjour de Paris, {f} {c}
            hello, {f} {c}
            Bien le bonjour, {f} {c}
            Salut la compagnie, {f} {c}
            bonjour bonjour ! {f} {c}
        """,
    },
    "an apology in the line": {
        "en": """
            sorry for the late reply {f} {c}
            Sorry about the delay, {f} {c}
            apologies for being slow, {f} {c}
            Sorry, I was busy. {f} {c}
            my apologies! {f} {c}
            so sorry I did not see this before, {f} {c}
            Sorry folks {f} {c}
            pardon the wait: {f} {c}
            sorry it took so long – {f} {c}
            excuse the delay, {f} with {the}
            {f} {c}, sorry for the wait
            Really sorry, was on holiday! {f} {c}
        """,
        "de": """
            Sorry für die späte Antwort {f} {c}
            Entschuldigung, dass es gedauert hat, {f} {c}
            tut mir leid für die Verspätung, {f} {c}
            Entschuldigt die Verzögerung: {f} {c}
            Verzeihung, war unterwegs. {f} {c}
            sorry Leute {f} {c}
            Bitte entschuldigt! {f} {c}
            Sorry, hab das nicht gesehen, {f} {c}
            Tut mir leid – {f} mit {dat}
            Pardon, {f} {c}
            {f} {c}, sorry, dass ihr warten musstet
        """,
        "fr": """
            désolé pour le retard {f} {c}
            Désolée, j'étais occupée. {f} {c}
            pardon pour l'attente, {f} {c}
            excusez-moi pour le délai : {f} {c}
            toutes mes excuses, {f} {c}
            désolé je n'avais pas vu, {f} {c}
            navré du retard, {f} {c}
            Mille excuses ! {f} {c}
            désolé les amis {f} {c}
            Pardon, {f} avec {the}
            {f} {c}, désolé pour l'attente
        """,
    },
    "what one has decided": {
        "en": """
            I choose {f} {c}
            I'm going with {f} {c}
            I'll go for {f} with {the}
            I've got {f} {c} this time
            my choice: {f} {c}
            I pick {the} for {f}
            this turn I put {f} on the {c}
            let's see: {f} {c}
            today it's {f} {c}
            I go {f} {c}
            then it's {f} {c} for me
            we'll do {f} {c}
            time to move {f} with {the}
        """,
        "de": """
            ich wähle {f} {c}
            ich nehme diesmal {f} mit {dat}
            meine Wahl: {f} {c}
            ich entscheide mich für {f} {c}
            heute {f} mit {dat}
            dann halt {f} {c}
            also gut, {f} {c}
            ich mach {f} {c}
            jetzt kommt {f} mit {dat}
            für mich {f} {c}
            wir nehmen {f} und {the}
            Zeit für {f} mit {dat}
        """,
        "fr": """
            je choisis {f} {c}
            je prends {f} cette fois avec {the}
            mon choix : {f} {c}
            je me décide pour {f} {c}
            aujourd'hui {f} avec {the}
            bon allez, {f} {c}
            ok donc {f} {c}
            ce tour-ci je joue {f} {c}
            pour moi {f} {c}
            on joue {f} {c}
            on y va : {f} {c}
            j'opte pour {f} {c}
        """,
    },
    "small talk beside it": {
        "en": """
            Finally my turn! {f} {c}
            What a lovely evening. {f} {c}
            {f} {c}. Have fun with that :)
            {f} {c}. Greetings from the train
            After a long day: {f} {c}
            {f} {c} and good luck, Alice
            This is fun. {f} with {the}.
            {f} {c} (my favourite)
        """,
        "de": """
            Endlich bin ich dran! {f} {c}
            Was für ein schöner Abend. {f} {c}
            {f} {c}. Viel Spaß damit :)
            {f} {c}. Grüße aus dem Zug
            Nach einem langen Tag: {f} {c}
            {f} {c} und viel Glück, Alice
            Das macht Laune. {f} mit {dat}.
            Super Partie! {f} {c}
        """,
        "fr": """
            Enfin à moi ! {f} {c}
            Quelle belle soirée. {f} {c}
            {f} {c}. Amusez-vous bien :)
            {f} {c}. Bises du train
            Après une longue journée : {f} {c}
            {f} {c} et bonne chance, Alice
            C'est amusant. {f} avec {the}.
            Super partie ! {f} {c}
        """,
    },
}

TURN: Lines = {
    "order of words": {
        "en": """
            to {h} goes {e}, then sink {s}
            first {e} to {h} and then sink {s}
            {e} from {o} to {h}, sinking {s}
            {s} sinks after {e} moves to {h}
            take {e} to {h}, and {s} is to sink
            {e} walks onto {h}; the tile {s} sinks
            explorer {e} moves over to hex {h}, sink hex {s}
        """,
        "de": """
            nach {h} geht {e}, dann {s} versenken
            zuerst {e} nach {h} und dann {s} versenken
            {e} von {o} nach {h}, {s} versenken
            {e} läuft auf {h}; {s} geht unter
            Forscher {e} auf Feld {h}, Feld {s} versenken
            ich laufe mit {e} nach {h} und lasse {s} sinken
        """,
        "fr": """
            d'abord {e} en {h} et puis couler {s}
            {e} de {o} à {h}, couler {s}
            {e} marche jusqu'à {h} ; la tuile {s} coule
            l'explorateur {e} va sur la case {h}, couler la case {s}
            je vais en {h} avec {e} et je coule {s}
            {e} avance en {h}, on coule {s}
        """,
    },
    "polite forms": {
        "en": """
            could you move {e} to {h} and sink {s} for me
            I'd like to move {e} to {h} and sink {s}
            please move {e} to {h} and please sink {s}
            I would love to take {e} to {h} and sink {s}
            kindly sink {s} after moving {e} to {h}
        """,
        "de": """
            könntet ihr bitte {e} nach {h} ziehen und {s} versenken
            ich möchte {e} nach {h} bewegen und {s} versenken
            bitte {e} nach {h} und bitte {s} versenken
            ich würde gern {e} nach {h} setzen und {s} versenken
            würdest du bitte {e} nach {h} ziehen, {s} versenken
        """,
        "fr": """
            pourriez-vous déplacer {e} en {h} et couler {s}
            je voudrais déplacer {e} en {h} et couler {s}
            merci de déplacer {e} en {h} et de couler {s}
            j'aimerais aller en {h} avec {e} et couler {s}
            veuillez déplacer {e} en {h} et couler {s}
        """,
    },
    "separators": {
        "en": """
            {e}/{h}, sink {s}
            {e} = {h}, sink {s}
            {e}={h}; sink {s}
            {e} > {h} / sink {s}
            {e}: {h}. sink: {s}
            {e}-{h} sink-{s}
            1. {e} {h} 2. sink {s}
            - {e} {h} - sink {s}
            {e}>{h} + sink {s}
            {e}->{h}, sink->{s}
        """,
        "de": """
            {e}/{h}, versenke {s}
            {e} = {h}, versenke {s}
            {e} > {h} / versenke {s}
            {e}: {h}. versenke: {s}
            {e}-{h} versenke-{s}
            1. {e} {h} 2. versenke {s}
            {e}->{h}, {s} versenken
        """,
        "fr": """
            {e}/{h}, coule {s}
            {e} = {h}, coule {s}
            {e} > {h} / coule {s}
            {e} : {h}. coule : {s}
            {e}-{h} coule-{s}
            1. {e} {h} 2. coule {s}
            {e}->{h}, couler {s}
        """,
    },
    "typing errors": {
        "en": """
            {e} {h}, ~sink {s}
            ~move {e} to {h}, sink {s}
            {e} ~goes to {h} and ~sink {s}
            I ~move {e} to {h}, then sink {s}
            {e} to {h}, ~please ~sink {s}
        """,
        "de": """
            {e} {h}, ~versenke {s}
            ~bewege {e} nach {h}, versenke {s}
            {e} ~geht nach {h}, {s} ~versenken
            ich ~ziehe {e} ~nach {h}, versenke {s}
            {e} nach {h}, ~bitte versenke {s}
        """,
        "fr": """
            {e} {h}, ~coule {s}
            je ~déplace {e} en {h}, coule {s}
            {e} ~avance en {h}, ~couler {s}
            {e} ~vers {h}, puis coule {s}
            ~merci, {e} {h}, coule {s}
        """,
    },
    "a greeting in the line": {
        "en": """
            Hi Bob {e} to {h}, sink {s}
            Hello all my move {e} {h} and sink {s}
            Good morning everyone: {e} to {h} and sink {s}
            hey, {e} {h}, sink {s}, cheers Bob
            hi there hope all is well, {e} {h}, sink {s}
        """,
        "de": """
            Hallo Bob {e} nach {h}, {s} versenken
            Hallo ihr Lieben {e} {h}, versenke {s}
            Guten Abend zusammen: {e} nach {h}, versenke {s}
            Moin, {e} {h}, versenke {s}, Gruß Bob
            Hi Leute {e} auf {h}, versenke {s}
        """,
        "fr": """
            Salut Bob {e} en {h}, coule {s}
            Bonjour à tous {e} {h}, coule {s}
            Bonsoir les amis : {e} vers {h}, coule {s}
            coucou, {e} {h}, coule {s}, bises Bob
            Bonjour tout le monde {e} en {h} et couler {s}
        """,
    },
    "an apology in the line": {
        "en": """
            sorry for the late reply {e} {h}, sink {s}
            Sorry, I was away. {e} to {h}, sink {s}
            apologies for the wait: {e} {h}, sink {s}
            so sorry everyone {e} to {h} and sink {s}
        """,
        "de": """
            Sorry für die späte Antwort {e} {h}, versenke {s}
            Entschuldigung, war krank. {e} nach {h}, {s} versenken
            tut mir leid für die Verspätung: {e} {h}, versenke {s}
            sorry Leute {e} nach {h} und {s} versenken
        """,
        "fr": """
            désolé pour le retard {e} {h}, coule {s}
            Désolée, j'étais malade. {e} en {h}, couler {s}
            mes excuses pour l'attente : {e} {h}, coule {s}
            pardon les amis {e} en {h} et couler {s}
        """,
    },
}

SETUP: Lines = {
    "order of words": {
        "en": """
            {v} at {x}
            on {x} goes my {v}
            my {v} stands on {x}
            put the explorer of value {v} on {x}
            at {x} I place a {v}
            explorer with {v} points to {x}
            I put {v} onto {x}
        """,
        "de": """
            auf {x} kommt die {v}
            meine {v} steht auf {x}
            auf {x} setze ich die {v}
            {v} nach {x}
            den Entdecker mit {v} Punkten auf {x}
            ich stelle die {v} auf {x}
            die {v} kommt nach {x}
        """,
        "fr": """
            en {x} je pose le {v}
            mon {v} va sur {x}
            le {v} en {x}
            l'explorateur de {v} points en {x}
            je mets le {v} sur {x}
            sur {x} le {v}
            je place mon {v} à {x}
        """,
    },
    "polite forms": {
        "en": """
            I'd like to place {v} at {x}
            I would like to put my {v} on {x}
            could you place my {v} on {x}
            please put {v} on {x}
            I want my {v} on {x} please
        """,
        "de": """
            ich möchte die {v} auf {x} setzen
            ich hätte gern die {v} auf {x}
            bitte setz die {v} auf {x}
            könntest du die {v} auf {x} stellen
            ich würde gerne {v} auf {x} platzieren
        """,
        "fr": """
            je voudrais placer le {v} en {x}
            j'aimerais poser mon {v} sur {x}
            merci de mettre le {v} en {x}
            pourriez-vous placer le {v} en {x}
            veuillez poser le {v} sur {x}
        """,
    },
    "separators": {
        "en": "{v}/{x}\n{v} = {x}\n{v}={x}\n{v}: {x}\n{v}>{x}\n{v} -> {x}\n{v}@{x}\n{v}-{x}",
        "de": "{v}/{x}\n{v} = {x}\n{v}: {x}\n{v} > {x}\n{v} @ {x}\n{v}-{x}\n({v}) {x}",
        "fr": "{v}/{x}\n{v} = {x}\n{v} : {x}\n{v} > {x}\n{v} @ {x}\n{v}-{x}\n[{v}] {x}",
    },
    "typing errors": {
        "en": "~place {v} on {x}\n~place my {v} at {x}\n~explorer {v} to {x}\n~please {v} on {x}",
        "de": "~setze {v} auf {x}\nich ~setze die {v} auf {x}\n~bitte {v} auf {x}",
        "fr": "~place {v} en {x}\nje ~place le {v} sur {x}\n~merci, {v} en {x}",
    },
    "a greeting or an apology in the line": {
        "en": """
            Hi Bob {v} on {x}
            Hello everyone, my {v} goes to {x}
            sorry for the delay {v} on {x}
            Sorry, I was asleep. {v} on {x}
        """,
        "de": """
            Hallo Bob {v} auf {x}
            Guten Abend, die {v} auf {x}
            Sorry für die Verspätung {v} auf {x}
            Entschuldigung, hab geschlafen. {v} auf {x}
        """,
        "fr": """
            Salut Bob {v} en {x}
            Bonsoir à tous, le {v} en {x}
            désolé pour le retard {v} en {x}
            Désolé, je dormais. {v} en {x}
        """,
    },
}

DIE: Lines = {
    "where the shark goes": {
        "en": """
            I'd like to move the shark from D6 to {to}
            shark D6/{to}
            shark D6 = {to}
            shark: D6 > {to}
            ~shark D6 {to}
            Hi Bob shark from D6 to {to}
            sorry for the delay the shark goes from D6 to {to}
            the shark swims from D6 to {to}
            let the shark go from D6 to {to}
            take the shark D6 over to {to} please
        """,
        "de": """
            ich möchte den Hai von D6 nach {to} bewegen
            Hai D6/{to}
            Hai D6 = {to}
            Hai: D6 > {to}
            Hallo Bob Hai von D6 nach {to}
            Sorry für die Verspätung der Hai geht von D6 nach {to}
            der Hai schwimmt von D6 nach {to}
            der Hai zieht von D6 nach {to}
            bitte ~bewege den Hai von D6 nach {to}
        """,
        "fr": """
            je voudrais déplacer le requin de D6 à {to}
            requin D6/{to}
            requin D6 = {to}
            requin : D6 > {to}
            ~requin D6 {to}
            Salut Bob requin de D6 à {to}
            désolé pour le retard le requin va de D6 à {to}
            le requin nage de D6 à {to}
            je fais avancer le requin de D6 à {to}
        """,
    },
}
STAY: Lines = {
    "stay": {
        "en": """
            no
            No.
            nope
            no thanks
            do not move
            don't move
            don't move it
            do not move the shark
            no move
            no movement please
            I don't move the shark
            I do not want to move it
            not moving it
            I won't move the shark
            leave it
            leave the shark there
            the shark does not move
            the shark stays put
            nothing
            nobody moves
            no shark move
            keep it there
            I'd like to leave it where it is
            please stay
            ~stay
        """,
        "de": """
            nein
            Nein.
            nö
            nein danke
            nicht bewegen
            nicht ziehen
            bitte nicht bewegen
            den Hai nicht bewegen
            ich bewege ihn nicht
            ich bewege den Hai nicht
            der Hai bewegt sich nicht
            keine Bewegung
            kein Zug
            nichts
            ich ziehe nicht
            der Hai bleibt stehen
            der Hai bleibt da
            er bleibt
            lass ihn stehen
            ich möchte nicht ziehen
            ich lasse ihn da
            bleib wo du bist
            ich möchte ihn nicht bewegen
        """,
        "fr": """
            non
            Non.
            non merci
            ne pas bouger
            ne bouge pas
            pas bouger
            je ne bouge pas le requin
            je ne le déplace pas
            le requin ne bouge pas
            pas de mouvement
            aucun mouvement
            rien
            je ne bouge rien
            il reste
            il reste là
            je le laisse
            je laisse le requin
            qu'il reste
            je ne veux pas le déplacer
            il ne bouge pas
        """,
    },
}
ANSWER: dict[str, Lines] = {
    "defend": {
        "defend": {
            "en": "I defend\nyes please defend\nI'd like to defend\n~defend\nHi Bob I defend\ndefend!\n"
            "sorry for the delay, I defend\nyes defend the ship\nplease use my tile to defend",
            "de": "ich verteidige\nja bitte verteidigen\nich möchte mich verteidigen\n~verteidige\n"
            "Hallo Bob ich verteidige\nabwehren!\nsorry für die Verspätung, ich wehre ab",
            "fr": "je défends\noui défendre svp\nje voudrais me défendre\n~défendre\n"
            "Salut Bob je me défends\ndéfends !\ndésolé pour le retard, je me défends",
        },
    },
    "allow": {
        "allow": {
            "en": "no\nI do not defend\ndon't defend\nno defence\nI won't defend\nlet it happen\n"
            "I'd like to allow it\n~allow\nHi Bob no defence\nI don't want to defend",
            "de": "nein\nich verteidige nicht\nnicht verteidigen\nkeine Verteidigung\n"
            "ich wehre mich nicht\nzulassen\nich lasse es zu\nich möchte mich nicht verteidigen",
            "fr": "non\nje ne défends pas\nne pas défendre\npas de défense\nlaisser faire\n"
            "je ne me défends pas\nje laisse faire\nje ne veux pas me défendre",
        },
    },
}


class Wording(NamedTuple):
    """question: whose position it answers. move: what it means, in notation."""

    question: str
    kind: str
    language: str
    line: str
    move: str


ITEMS = {
    "en": {
        item: (item, f"the {item}", f"the {item}")
        for item in ("flag", "ring", "helmet", "crown", "olive", "statue", "amphora")
    },
    "de": {
        "flag": ("Flagge", "die Flagge", "der Flagge"),
        "ring": ("Ring", "den Ring", "dem Ring"),
        "helmet": ("Helm", "den Helm", "dem Helm"),
        "crown": ("Krone", "die Krone", "der Krone"),
        "olive": ("Olive", "die Olive", "der Olive"),
        "statue": ("Statue", "die Statue", "der Statue"),
        "amphora": ("Amphore", "die Amphore", "der Amphore"),
    },
    "fr": {
        "flag": ("drapeau", "le drapeau", ""),
        "ring": ("anneau", "l'anneau", ""),
        "helmet": ("casque", "le casque", ""),
        "crown": ("couronne", "la couronne", ""),
        "olive": ("olive", "l'olive", ""),
        "statue": ("statue", "la statue", ""),
        "amphora": ("amphore", "l'amphore", ""),
    },
}


def wordings() -> Iterator[Wording]:
    """All of them. Each line is filled once; the gaps go round what the position allows."""
    number = 0
    games: list[tuple[str, str, Lines]] = [
        ("atlantis", "{f} {item}", ATLANTIS),
        ("turn", "{e} {h}, sink {s}", TURN),
        ("setup", "place {v} {x}", SETUP),
        ("die", "shark D6 {to}", DIE),
        ("die", "stay", STAY),
        *(("defence", move, lines) for move, lines in ANSWER.items()),
    ]
    for question, move, lines in games:
        for kind, languages in lines.items():
            for language, text in languages.items():
                for line in filter(None, map(str.strip, text.splitlines())):
                    number += 1
                    gaps = _gaps(language, number)
                    yield Wording(
                        question, kind, language, _slipped(line, gaps, number), move.format(**gaps)
                    )


def _gaps(language: str, number: int) -> dict[str, str]:
    item, (bare, the, dative) = list(ITEMS[language].items())[number % 7]
    explorer, start = (("U1", "E5"), ("U2", "E5"))[number % 2]
    return {
        "f": "ABC"[number % 3] if number % 3 else "B",
        "item": item,
        "c": bare,
        "the": the,
        "dat": dative,
        "e": explorer,
        "o": start,
        "h": "E6",
        "s": ("E5", "J5")[number % 3 // 2],
        "v": str(2 + number % 5),
        "x": ("E5", "D5", "E7", "D8", "F10")[number % 5],
        "to": ("C6", "E7", "B5")[number % 3],
    }


def _slipped(line: str, gaps: dict[str, str], number: int) -> str:
    """The line with its gaps filled, and one typing error in each word behind "~"."""
    dice = random.Random(number)
    return " ".join(
        slip(word[1:].format(**gaps), dice) if word.startswith("~") else word.format(**gaps)
        for word in line.split(" ")
    )


def slip(word: str, dice: random.Random) -> str:
    """The word with two letters swapped, one left out, doubled or replaced by its neighbour."""
    at = dice.randrange(1, len(word) - 1)
    way = dice.choice(["swap", "drop", "double", "wrong"])
    if way == "swap" and word[at] != word[at + 1 : at + 2]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if way == "drop":
        return word[:at] + word[at + 1 :]
    if way == "wrong":
        return word[:at] + ("k" if word[at] != "k" else "m") + word[at + 1 :]
    return word[:at] + word[at] + word[at:]
