"""Sentences of people to each other that ask for no move, although they name things of the game.

Written before anybody tried how it is read. {f} is a figure, {c} an item, {e} an explorer, {h} a
hex, {n} a number.
"""

from collections.abc import Iterator
from itertools import product

FIGURES, EXPLORERS, HEXES, NUMBERS = "ABC", ("U1", "V1"), ("E5", "D6"), ("3", "6")
ITEMS = {
    "en": ("flag", "ring", "helmet", "crown"),
    "de": ("Flagge", "Ring", "Helm", "Krone"),
    "fr": ("drapeau", "anneau", "casque", "couronne"),
}

TALK = {
    "en": """
        haha imagine {f} {c} lol
        nothing yet, will look tonight
        lol {f} {c} was brilliant
        wow, that {c} of yours
        I love the {c}, great with {f}
        {f} {c} would have been nice
        my kids think {f} is cute with that {c}
        {f} and the {c}, what a couple
        everybody keeps playing the {c}
        omg {f} {c}
        {f} {c} rofl
        that {c} again, figures
        did you see {f} take the {c}
        the {c} next to {f} looks lonely
        you really need a {c} for {f}
        {f} is stuck without a {c}
        nice {c}, Bob
        all I ever draw is the {c}
        I dreamt of {f} and a {c}
        why does {f} always get the {c}
        {f} {c} is the meta now
        beautiful picture of the {c}
        poor {f}, no {c} left
        the {c} is mine, mine I say
        only {n} tiles left for {f}
        not yet
        no time today
        no idea
        no clue yet
        no rush
        no worries, take your time
        no hurry
        yes it is going well here
        yes, lovely weather
        yes we should meet
        let me sleep on it
        let me think
        let you know soon
        I let my son look at it
        I'll get back to you tonight
        will do it after work
        will play in the evening
        moving house this week, so be patient
        on the move all day, reading this in the train
        nothing to report
        nothing much, and you
        nothing new here
        stay safe everyone
        stay tuned
        staying with my parents this weekend
        leave it with me until Monday
        leave me a day please
        pass the popcorn
        I'll pass by tomorrow
        pass on my regards to your wife
        what a whale of a time
        the shark is scary
        sharks are my favourite animals
        I saw a whale on holiday
        my ship has sailed
        my heart sinks when I look at this board
        sinking feeling here
        we are all in the same boat
        land in sight
        water, water everywhere
        I'm on it
        I am away from my desk
        take care
        go for it Bob
        play nice you two
        good one
        still thinking
        give me a minute
        hang on
        brb
        {e} is doomed
        poor {e}, all alone at {h}
        {e} looks tired lol
        haha {e} at {h}, good luck with that
        that shark at {h} smells blood
        {h} is such a nice spot
        everyone wants {h}
        {e} loves {h}
        imagine {e} at {h}
        omg the shark near {h}
        {h} sinks in my dreams
        {e} {h} lol
        my {n} is hiding somewhere
        {n} days off, hooray
        {n} more turns and I win
        see you at {n} on Sunday
        sail to {h} they said
        the view from {h} must be great
        I left {e} to the sharks
        {e} on {h} is a funny picture
    """,
    "de": """
        haha stell dir {f} {c} vor lol
        noch nichts, schaue heute Abend
        lol {f} {c} war genial
        wow, dein {c} schon wieder
        ich liebe {c}, super mit {f}
        {f} {c} wäre schön gewesen
        meine Kinder finden {f} süß mit {c}
        {f} und {c}, was für ein Paar
        alle spielen dauernd {c}
        boah {f} {c}
        {f} {c} hihi
        schon wieder {c}, typisch
        hast du gesehen, wie {f} an {c} vorbeizog
        {c} neben {f} sieht einsam aus
        man braucht wirklich {c} für {f}
        {f} sitzt fest ohne {c}
        schöner {c}, Bob
        ich bekomme immer nur {c}
        ich träumte von {f} und {c}
        warum bekommt {f} immer {c}
        {f} {c} ist gerade angesagt
        hübsches Bild von {c}
        armes {f}, kein {c} mehr
        {c} gehört mir, nur mir
        nur noch {n} Plättchen für {f}
        noch nicht
        heute keine Zeit
        keine Ahnung
        nein so was
        nur keine Eile
        keine Sorge, lass dir Zeit
        kein Stress
        ja hier läuft alles gut
        ja, herrliches Wetter
        ja wir sollten uns treffen
        lass mich eine Nacht drüber schlafen
        lass mich nachdenken
        ich lasse von mir hören
        ich lasse meinen Sohn schauen
        ich melde mich heute Abend
        mache ich nach der Arbeit
        ich spiele am Abend weiter
        wir ziehen diese Woche um, habt Geduld
        bin den ganzen Tag unterwegs, lese das im Zug
        nichts zu berichten
        nichts Besonderes, und bei dir
        nichts Neues hier
        bleibt gesund
        bleib dran
        ich bleibe am Wochenende bei meinen Eltern
        gib mir Zeit bis Montag
        gebt mir bitte noch einen Tag
        passt schon
        ich passe auf die Kinder auf
        passt auf euch auf
        das ist ja ein Wal von einem Problem
        der Hai ist unheimlich
        Haie sind meine Lieblingstiere
        im Urlaub sah ich einen Wal
        das Schiff ist abgefahren
        mir sinkt das Herz bei diesem Brett
        so langsam gehe ich unter
        wir sitzen alle im selben Boot
        Land in Sicht
        Wasser, überall Wasser
        bin dabei
        ich bin gerade beim Essen
        mach es gut
        auf geht's Bob
        spielt schön ihr zwei
        guter Witz
        ich grüble noch
        gib mir eine Minute
        Moment mal
        gleich wieder da
        {e} ist verloren
        armer {e}, ganz allein auf {h}
        {e} sieht müde aus lol
        haha {e} auf {h}, na dann viel Glück damit
        der Hai auf {h} riecht Blut
        {h} ist so ein schöner Platz
        alle wollen nach {h}
        {e} liebt {h}
        stellt euch {e} auf {h} vor
        boah der Hai bei {h}
        {h} versinkt in meinen Träumen
        {e} {h} hihi
        meine {n} versteckt sich irgendwo
        {n} Tage frei, hurra
        noch {n} Züge und ich gewinne
        wir sehen uns am Sonntag um {n}
        segelt nach {h}, hieß es
        der Blick von {h} muss toll sein
        ich überließ {e} den Haien
        {e} auf {h} ist ein lustiges Bild
    """,
    "fr": """
        haha imagine {f} {c} mdr
        rien encore, je regarde ce soir
        mdr {f} {c} c'était génial
        waouh, ton {c} encore
        j'adore {c}, super avec {f}
        {f} {c} aurait été bien
        mes enfants trouvent {f} mignon avec {c}
        {f} et {c}, quel couple
        tout le monde joue toujours {c}
        oh là là {f} {c}
        {f} {c} hihi
        encore {c}, typique
        tu as vu {f} passer devant {c}
        {c} à côté de {f} a l'air seul
        il faut vraiment {c} pour {f}
        {f} est coincé sans {c}
        joli {c}, Bob
        je pioche toujours {c}
        je rêve de {f} et de {c}
        pourquoi {f} reçoit toujours {c}
        {f} {c} est à la mode
        belle image de {c}
        pauvre {f}, plus de {c}
        {c} est à moi, rien qu'à moi
        plus que {n} tuiles pour {f}
        pas encore
        pas le temps aujourd'hui
        aucune idée
        non mais vraiment
        rien ne presse
        pas d'inquiétude, prends ton temps
        pas de stress
        oui tout va bien ici
        oui, un temps magnifique
        oui il faut qu'on se voie
        laisse-moi dormir dessus
        laisse-moi réfléchir
        je laisse passer l'orage
        je laisse mon fils regarder
        je reviens vers toi ce soir
        je le fais après le travail
        je joue dans la soirée
        on déménage cette semaine, soyez patients
        en déplacement toute la journée, je lis ça dans le train
        rien à signaler
        rien de spécial, et toi
        rien de neuf ici
        restez prudents
        reste à l'écoute
        je reste chez mes parents ce week-end
        laisse-moi jusqu'à lundi
        laissez-moi un jour svp
        passe le bonjour à ta femme
        je passe chez toi demain
        passez une bonne fête
        quelle baleine de problème
        le requin fait peur
        les requins sont mes animaux préférés
        en vacances je vois une baleine
        le bateau est parti
        mon coeur coule en voyant ce plateau
        je coule doucement
        on est tous dans le même bateau
        terre en vue
        de l'eau, de l'eau partout
        je suis dessus
        je suis à table
        prends soin de toi
        allez Bob
        jouez bien vous deux
        elle est bonne
        je réfléchis encore
        donne-moi une minute
        un instant
        je reviens
        {e} est fichu
        pauvre {e}, tout seul en {h}
        {e} a l'air fatigué mdr
        haha {e} en {h}, bon courage avec ça
        le requin en {h} sent le sang
        {h} est un si bel endroit
        tout le monde veut {h}
        {e} adore {h}
        imaginez {e} en {h}
        oh là là le requin près de {h}
        {h} coule dans mes rêves
        {e} {h} hihi
        mon {n} se cache quelque part
        {n} jours de congé, hourra
        encore {n} tours et je gagne
        on se voit dimanche à {n} heures
        naviguez vers {h} qu'ils disaient
        la vue depuis {h} doit être belle
        j'abandonne {e} aux requins
        {e} en {h} est une drôle d'image
    """,
}


def talk() -> Iterator[tuple[str, str]]:
    """(language, sentence), each in several forms."""
    for language, text in TALK.items():
        for line in filter(None, map(str.strip, text.splitlines())):
            forms = {
                line.format(f=f, c=c, e=e, h=h, n=n)
                for f, c, (e, h, n) in product(
                    FIGURES, ITEMS[language], zip(EXPLORERS, HEXES, NUMBERS, strict=True)
                )
            }
            yield from ((language, form) for form in sorted(forms))
