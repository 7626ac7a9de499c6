"""German."""

DECIMAL_COMMA = True

PREFIXES = {
    "Weights ": "Gewichte ",
    "Bias ": "Bias ",
    "Gradient: ": "Gradient: ",
    "Update: ": "Neu: ",
    "Velocity: ": "Schwung: ",
    "First moment: ": "Erstes Moment: ",
    "Second moment: ": "Zweites Moment: ",
    "Corrected first moment: ": "Korrigiertes erstes Moment: ",
    "Corrected second moment: ": "Korrigiertes zweites Moment: ",
    "Direction: ": "Richtung: ",
    "Decayed: ": "Verkleinert: ",
    "Clipped: ": "Begrenzt: ",
    "Base: ": "Grundlage: ",
    "Factor a: ": "Faktor a: ",
    "Factor b: ": "Faktor b: ",
    "Low-rank change: ": "Änderung von niedrigem Rang: ",
    "Original: ": "Original: ",
    "Scale: ": "Skala: ",
    "Zero point: ": "Nullpunkt: ",
    "Quantized: ": "Quantisiert: ",
}

PARTS = {
    "Encoder": "Encoder",
    "Decoder": "Decoder",
    "Layer": "Schicht",
    "Attention": "Attention",
    "Self-attention": "Self-Attention",
    "Cross-attention": "Cross-Attention",
    "Head": "Kopf",
    "Group": "Gruppe",
    "Feed-forward": "Feedforward-Netz",
    "Norm": "Norm",
    "Branch norm": "Norm im Zweig",
    "Final norm": "letzte Norm",
    "Embedding norm": "Norm der Embeddings",
    "Query norm": "Norm der Anfragen",
    "Key norm": "Norm der Schlüssel",
    "Residual": "Residuum",
    "Rotary": "Drehung",
    "Rotation": "Drehung",
    "Block": "Block",
    "Lens": "Linse",
    "Input": "Eingabe",
    "Attribution": "Zurechnung",
    "Output head": "Ausgabekopf",
    "Loss": "Verlust",
    "Sample": "Ziehung",
    "Beam": "Beam",
    "Among": "Auswahl",
    "Gradients": "Gradienten",
    "Updates": "Neue Parameter",
    "Pass": "Durchlauf",
    "Example": "Beispiel",
    "Training step": "Trainingsschritt",
    "After training": "nach dem Training",
    "Softmax": "Softmax",
    "Router": "Router",
    "Expert": "Experte",
    "Shared": "gemeinsamer Experte",
    "Relative bias": "relativer Bias",
    "Clip": "Begrenzung",
    "Clipped": "begrenzte Gradienten",
    "Velocity": "Schwung",
    "First moment": "erstes Moment",
    "First moment corrected": "korrigiertes erstes Moment",
    "Second moment": "zweites Moment",
    "Second moment corrected": "korrigiertes zweites Moment",
    "Direction": "Richtung",
    "Decayed": "verkleinerte Parameter",
    "Base": "Grundlage",
    "Online": "Online",
    "Tokenizer": "Tokenizer",
    "Encoding step": "Kodierungsschritt",
}

TITLES = {
    "Parts of the sum": "Teile der Summe",
    "Centered parts": "Zentrierte Teile",
    "Scaled parts": "Skalierte Teile",
    "Logits by part": "Logits nach Teilen",
    "Gradient times α/r": "Gradient mal α/r",
    " (one part)": " (ein Teil)",
    "Learning rate": "Lernrate",
    "Words of the text": "Wörter des Textes",
    "Words after the merge": "Wörter nach der Verschmelzung",
    "Pairs": "Paare",
    "Pair to merge": "Paar zum Verschmelzen",
    "Merges": "Verschmelzungen",
    "Symbols of the text": "Symbole des Textes",
    "Ranks of the pairs": "Ränge der Paare",
    "Symbols after the merge": "Symbole nach der Verschmelzung",
    "Tokens": "Tokens des Textes",
    "Smoothed targets": "Geglättete Zielwerte",
    "Squared gradients": "Quadrate der Gradienten",
    "Norm of all gradients": "Norm aller Gradienten",
    "Clipping factor": "Begrenzungsfaktor",
    "Queries": "Anfragen (Queries)",
    "Keys": "Schlüssel (Keys)",
    "Values": "Werte (Values)",
    "Scores": "Scores",
    "Scaled scores": "Skalierte Scores",
    "Capped scores": "Begrenzte Scores",
    "Masked scores": "Maskierte Scores",
    "Shifted scores": "Verschobene Scores",
    "Exponentials": "Exponentialwerte",
    "Row sum": "Zeilensumme",
    "Attention weights": "Attention-Gewichte",
    "Head output": "Ausgabe des Kopfes",
    "Largest score so far": "Größter Score bisher",
    "Correction of the sums": "Korrektur der Summen",
    "Exponentials of the block": "Potenzen des Blocks",
    "Row sum so far": "Zeilensumme bisher",
    "Weighted values so far": "Gewichtete Werte bisher",
    "Concatenated heads": "Köpfe nebeneinander",
    "All heads side by side": "Alle Köpfe nebeneinander",
    "Attention output": "Ausgabe der Attention",
    "Mask": "Maske",
    "Positional encoding": "Positionskodierung",
    "Position table": "Positionstabelle",
    "Rotation": "Drehung",
    "Rotated encoding": "Gedrehte Kodierung",
    "Shifted encoding": "Verschobene Kodierung",
    "Difference": "Differenz",
    "Segment vector": "Segmentvektor",
    "Segment embedding": "Segment-Embedding",
    "Token embedding": "Token-Embedding",
    "Token ids": "Nummern der Tokens",
    "Embedding table": "Embedding-Tabelle",
    "Scaled embedding": "Skaliertes Embedding",
    "Summed embeddings": "Summe der Embeddings",
    "Input": "Eingabe",
    "Dropout mask": "Dropout-Maske",
    "After dropout": "Nach Dropout",
    "Hidden layer": "Verdeckte Schicht",
    "Activation": "Aktivierung",
    "Feed-forward output": "Ausgabe des Feedforward-Netzes",
    "Residual": "Residuum",
    "Mean": "Mittelwert",
    "Centered": "Zentriert",
    "Variance": "Varianz",
    "Standard deviation": "Standardabweichung",
    "Normalized": "Normiert",
    "Layer norm": "Layer-Norm",
    "Mean square": "Mittel der Quadrate",
    "Root mean square": "Quadratisches Mittel",
    "RMS norm": "RMS-Norm",
    "Rotation frequencies": "Drehfrequenzen",
    "Table of biases": "Bias-Tabelle",
    "Buckets of distance": "Abstandsklassen",
    "Relative bias": "Relativer Bias",
    "Scores with relative bias": "Scores mit relativem Bias",
    "Router logits": "Router-Logits",
    "Router scores": "Router-Scores",
    "Bias of the router": "Bias des Routers",
    "Choice bias": "Auswahl-Bias",
    "Scores for the choice": "Scores für die Auswahl",
    "Chosen experts": "Gewählte Experten",
    "Kept scores": "Behaltene Scores",
    "Sum of the kept scores": "Summe der behaltenen Scores",
    "Expert weights": "Expertengewichte",
    "Mixture of experts": "Mischung der Experten",
    "Clamped gate": "Begrenztes Gate",
    "Clamped hidden layer": "Begrenzte verborgene Schicht",
    "Dynamic tanh": "Dynamischer Tanh",
    "Scaled": "Skaliert",
    "Alpha": "Alpha",
    "Sink": "Senke",
    "Exponential of the sink": "Exponentialwert der Senke",
    "Rotation angles": "Drehwinkel",
    "Rotated queries": "Gedrehte Anfragen (Queries)",
    "Rotated keys": "Gedrehte Schlüssel (Keys)",
    "Scores with distance bias": "Scores mit Abstand",
    "Kept logits": "Behaltene Logits",
    "Largest logits": "Größte Logits",
    "Probabilities before top_p": "Wahrscheinlichkeiten vor top_p",
    "Kept probabilities": "Behaltene Wahrscheinlichkeiten",
    "Cumulative": "Laufende Summe",
    "Log-probabilities": "Logarithmen der Wahrscheinlichkeiten",
    "Totals": "Summen",
    "Length penalty": "Längenstrafe",
    "Candidates": "Kandidaten",
    "Finished hypotheses": "Beendete Hypothesen",
    "Beams": "Beams",
    "Draw": "Gezogene Zahl",
    "Choice": "Wahl",
    "Gate": "Tor (Gate)",
    "Gate activation": "Aktivierung des Tors",
    "Gated hidden layer": "Verdeckte Schicht hinter dem Tor",
    "Key cache": "Gemerkte Schlüssel (Keys)",
    "Value cache": "Gemerkte Werte (Values)",
    "Gamma": "Gamma",
    "Beta": "Beta",
    "Encoder output": "Ausgabe des Encoders",
    "Output weights": "Ausgabegewichte",
    "Output bias": "Bias der Ausgabe",
    "Logits": "Logits",
    "Scaled logits": "Skalierte Logits",
    "Capped logits": "Begrenzte Logits",
    "Probabilities": "Wahrscheinlichkeiten",
    "Prediction": "Vorhersage",
    "Generated tokens": "Erzeugte Tokens",
    "Loss per token": "Verlust je Token",
    "Total loss": "Verlust, Summe",
    "Mean loss": "Verlust, Mittel",
    "Probability of the right word": "Wahrscheinlichkeit des richtigen Wortes",
    "Largest gradient": "Größter Gradient",
    "Training run": "Verlauf des Trainings",
}

PHRASES = {
    "mean of the rows of ": "Mittel der Zeilen von ",
    ", but {cell}": ", aber {cell}",
    "a row for each part, from ": "eine Zeile für jeden Teil, aus ",
    ", and the sum": ", und die Summe",
    " where ": " wo ",
    ", else ": ", sonst ",
    " is 1, else ": " 1 ist, sonst ",
    " is 1, else 0": " 1 ist, sonst 0",
    ", else −∞": ", sonst −∞",
    " and ": " und ",
    " above ": " über ",
    " with ": " mit ",
    " below": " darunter",
    " at the target": " beim Ziel",
    "1 at the target": "1 beim Ziel",
    " at the targets": " bei den Zielen",
    "mean of ": "Mittel von ",
    "sum of ": "Summe von ",
    "sums of ": "Summen von ",
    " from the left": " von links an",
    "−ln of ": "−ln von ",
    "row max": "Zeilenmaximum",
    "column sums of ": "Spaltensummen von ",
    ", columns {first} to {last}": ", Spalten {first} bis {last}",
    ", column {last}": ", Spalte {last}",
    " from column {first} on, else 0": " ab Spalte {first}, sonst 0",
    ", rows {first} to {last}": ", Zeilen {first} bis {last}",
    ", row {last}": ", Zeile {last}",
    "columns {first} to {last} of ": "Spalten {first} bis {last} von ",
    "column {last} of ": "Spalte {last} von ",
    "selected rows of ": "ausgewählte Zeilen von ",
    " added to the rows that were looked up": " addiert zu den nachgeschlagenen Zeilen",
    " added to the buckets that were looked up, in column {column}": (
        " addiert zu den nachgeschlagenen Klassen, in Spalte {column}"
    ),
    "bucket of ": "Klasse von ",
    " by bucket, column {column}": " nach Klasse, Spalte {column}",
    " for each position": " für jede Position",
    " for each column": " für jede Spalte",
    "last row of each pass": "letzte Zeile jedes Durchlaufs",
    "ln of the last row of ": "ln der letzten Zeile von ",
    "total {row} of ": "Summe {row} von ",
    "the {count} largest of ": "die {count} größten von ",
    "the largest of ": "das größte von ",
    ", with beam and token": ", mit Beam und Token",
    "the ended totals of ": "den beendeten Summen von ",
    " / ": " / ",
    "tokens of the best hypothesis, with their probabilities": (
        "Tokens der besten Hypothese mit ihren Wahrscheinlichkeiten"
    ),
    "the {count} largest of the last row of ": "die {count} größten der letzten Zeile von ",
    "1 for the {count} largest of each row of ": "1 für die {count} größten jeder Zeile von ",
    " of the likeliest, until ": " der wahrscheinlichsten, bis zur Summe von ",
    " adds up to ": " = ",
    "the first word with ": "das erste Wort mit ",
    ", each times its column of ": ", jedes mal seine Spalte von ",
    ", added up": ", addiert",
    " times column {column} of ": " mal Spalte {column} von ",
    "Σ of ": "Σ von ",
    " ⊙ each of ": " ⊙ jedes von ",
    " up to {limit}": " bis {limit}",
    " within −{limit} and {same}": " zwischen −{limit} und {same}",
    ", slow pairs {factor} times slower": ", langsame Paare {factor}-mal langsamer",
    " in degrees": " in Grad",
    " rotated by ": " gedreht um ",
    " rotated back by ": " zurückgedreht um ",
    ", the first half of the features with the second": ", die erste Hälfte der Merkmale mit der zweiten",
    ", each odd feature with the next": ", jedes ungerade Merkmal mit dem nächsten",
    ", times {factor}": ", mal {factor}",
    "rotation of each pair (sin, cos) by the angle of ": "Drehung jedes Paares (sin, cos) um den Winkel von ",
    " positions": " Positionen",
    **{
        f"{what} {of} of ": f"{was} {von} von "
        for of, von in (
            ("all", "allem"),
            ("each row", "jeder Zeile"),
            ("each column", "jeder Spalte"),
            ("each group", "jeder Gruppe"),
        )
        for what, was in (
            ("largest size in", "größter Betrag in"),
            ("farthest above 0 plus farthest below 0 in", "am weitesten über 0 plus am weitesten unter 0 in"),
            ("farthest below 0 in", "am weitesten unter 0 in"),
        )
    },
    "largest absolute value in all gradients": "größter Betrag in allen Gradienten",
    "the numbers of each step, one row per step": "die Zahlen jedes Schritts, eine Zeile je Schritt",
    "the sum of each gradient's squares": "die Summe der Quadrate jedes Gradienten",
    " × how often the pair is in the word": " × wie oft das Paar in dem Wort steht",
    "the pair with the largest ": "das Paar mit dem größten ",
    "the pair with the lowest ": "das Paar mit dem kleinsten ",
    " with each ": " mit jedem ",
    " merged": " verschmolzen",
    "the pair and the count of ": "Paar und Anzahl von ",
    "the row of ": "die Zeile von ",
    " that has the pair of ": " mit dem Paar aus ",
    " [{count} smaller terms]": " [{count} kleinere Terme]",
}

PROSE = {
    "Each row is what one part of the model has added to the vector of one position; together they are all of it.": (
        "Jede Zeile ist, was ein Teil des Modells zum Vektor einer Position beigetragen hat; zusammen sind sie der "
        "ganze."
    ),
    "Residuals only ever add, so the last vector is a sum, and its summands are known: the embeddings, what each head "
    "has found, what each feed-forward network has made. Taken apart, the sum says who brought what.": (
        "Residuen addieren immer nur; der letzte Vektor ist also eine Summe, und ihre Summanden sind bekannt: die "
        "Embeddings, was jeder Kopf gefunden und was jedes Feed-Forward-Netz gemacht hat. Zerlegt sagt die Summe, wer "
        "was gebracht hat."
    ),
    "Each row is what one part has added to the vector of one position since the norm before: with norms after the "
    "residuals only what the last one reads is a sum, and all that came before it is one row.": (
        "Jede Zeile ist, was ein Teil seit der Norm davor zum Vektor einer Position beigetragen hat: Stehen die Normen "
        "hinter den Residuen, ist nur eine Summe, was die letzte liest, und alles davor ist eine Zeile."
    ),
    "A norm after each residual divides by a number that depends on the whole, so what earlier parts have added cannot "
    "be followed through it. The last residual alone is still a sum whose summands are known.": (
        "Eine Norm hinter jedem Residuum teilt durch eine Zahl, die vom Ganzen abhängt; was frühere Teile beigetragen "
        "haben, lässt sich nicht durch sie hindurch verfolgen. Nur das letzte Residuum ist noch eine Summe mit "
        "bekannten Summanden."
    ),
    "Each part without its own mean, as the last norm takes the mean off their sum.": (
        "Jeder Teil ohne sein eigenes Mittel, so wie die letzte Norm das Mittel von ihrer Summe abzieht."
    ),
    "The mean of a sum is the sum of the means. So the norm's first step can be done to each part by itself, and the "
    "parts still add up to what it made of the whole.": (
        "Das Mittel einer Summe ist die Summe der Mittel. Der erste Schritt der Norm lässt sich also an jedem Teil für "
        "sich tun, und die Teile ergeben zusammen noch immer, was sie aus dem Ganzen gemacht hat."
    ),
    "Each part divided by the deviation that the last norm has measured of the whole.": (
        "Jeder Teil geteilt durch die Abweichung, die die letzte Norm am Ganzen gemessen hat."
    ),
    "A norm divides by a number that depends on all parts together. Taken as it was measured, it is one number for "
    "every part, and the division shares itself out; the price is that a part's own influence on it is not counted.": (
        "Eine Norm teilt durch eine Zahl, die von allen Teilen zusammen abhängt. So genommen, wie sie gemessen wurde, "
        "ist sie für jeden Teil dieselbe, und die Division verteilt sich; der Preis ist, dass der eigene Einfluss "
        "eines Teils auf sie nicht zählt."
    ),
    "How strongly each part (row) pushes each word (column); the last row adds them up to the logits themselves.": (
        "Wie stark jeder Teil (Zeile) jedes Wort (Spalte) vorantreibt; die letzte Zeile addiert sie zu den Logits "
        "selbst."
    ),
    "The output weights are linear, so the logit of a word is the sum of what the parts give it. A large number says "
    "who made the model say a word; a negative one says who was against it.": (
        "Die Ausgabegewichte sind linear, also ist das Logit eines Wortes die Summe dessen, was die Teile ihm geben. "
        "Eine große Zahl sagt, wer das Modell ein Wort sagen ließ; eine negative, wer dagegen war."
    ),
    "How often each word stands in the text, in the order met.": (
        "Wie oft jedes Wort im Text steht, in der Reihenfolge des ersten Auftretens."
    ),
    "The words in the symbols that they are made of now; how often each stands there has not changed.": (
        "Die Wörter in den Symbolen, aus denen sie jetzt bestehen; wie oft jedes im Text steht, bleibt gleich."
    ),
    "The next pair is counted in these words: what was merged is one symbol now, and can become a part of a longer "
    "one. So frequent words grow together, piece by piece, and rare ones stay in pieces.": (
        "In diesen Wörtern wird das nächste Paar gezählt: Was verschmolzen wurde, ist nun ein Symbol und kann Teil "
        "eines längeren werden. So wachsen häufige Wörter Stück für Stück zusammen, und seltene bleiben in Stücken."
    ),
    "How often each two neighbours stand in the text: a word counts as often as it is there.": (
        "Wie oft je zwei Nachbarn im Text stehen: Ein Wort zählt so oft, wie es vorkommt."
    ),
    "Neighbours that are often together are worth a symbol of their own, because that shortens the text most. They are "
    "counted within words, never across them, and a a stands twice in a a a.": (
        "Nachbarn, die oft beisammen stehen, sind ein eigenes Symbol wert, weil das den Text am meisten verkürzt. "
        "Gezählt werden sie in den Wörtern, nie über deren Grenzen hinweg, und a a steht zweimal in a a a."
    ),
    "The most frequent pair becomes a symbol.": "Das häufigste Paar wird ein Symbol.",
    "One merge at a time, the greediest: no plan, only what shortens the text most now. Where several pairs are as "
    "frequent a rule has to decide, and programs differ in it: the first met, the lowest ids, or the greatest text.": (
        "Immer eine Verschmelzung, die gierigste: kein Plan, nur was den Text jetzt am meisten verkürzt. Sind mehrere "
        "Paare gleich häufig, muss eine Regel entscheiden, und darin unterscheiden sich Programme: das zuerst "
        "gefundene, das mit den kleinsten Nummern oder der größte Text."
    ),
    "The pairs that become one symbol, in order: all that the tokenizer knows.": (
        "Die Paare, die ein Symbol werden, der Reihe nach: alles, was der Tokenizer weiß."
    ),
    "The order is what counts: a text is split later by making the same merges, the earlier ones first. The counts are "
    "not needed any more.": (
        "Auf die Reihenfolge kommt es an: Ein Text wird später zerlegt, indem dieselben Paare verschmolzen werden, die "
        "früheren zuerst. Die Anzahlen werden nicht mehr gebraucht."
    ),
    "The characters of each word of the text, and their ids.": "Die Zeichen jedes Wortes und ihre Nummern.",
    "For each two neighbours within a word, which of the merges they are; unknown where they are none.": (
        "Für je zwei Nachbarn in einem Wort, die wievielte Verschmelzung sie sind; unbekannt, wo sie keine sind."
    ),
    "Nothing is counted any more. Of the pairs in this text the one that was learned first is merged first, because "
    "the later ones were learned in a text where it had been merged.": (
        "Gezählt wird nichts mehr. Von den Paaren in diesem Text wird das zuerst gelernte zuerst verschmolzen, denn "
        "die späteren wurden in einem Text gelernt, in dem es schon verschmolzen war."
    ),
    "The pair of the lowest rank is merged.": "Das Paar mit dem kleinsten Rang wird verschmolzen.",
    "Merges are made in the order in which they were learned. So a word of the text that they were learned from is "
    "split as it was in the end.": (
        "Verschmolzen wird in der Reihenfolge, in der gelernt wurde. So wird ein Wort des gelernten Textes zerlegt, "
        "wie es am Ende war."
    ),
    "The symbols of each word, each occurrence of the pair merged.": (
        "Die Symbole jedes Wortes, jedes Vorkommen des Paares verschmolzen."
    ),
    "All occurrences are merged before the next pair is looked for. This goes on until no two neighbours in a word are "
    "a merge.": (
        "Alle Vorkommen werden verschmolzen, bevor das nächste Paar gesucht wird. Das geht so lange, bis keine zwei "
        "Nachbarn in einem Wort eine Verschmelzung sind."
    ),
    "What the model reads: each symbol that is left is a token.": (
        "Was das Modell liest: Jedes Symbol, das übrig ist, ist ein Token."
    ),
    "A frequent word is one token, a rare one several, and no word is unknown as long as its characters are known. So "
    "the vocabulary stays small, and the sequences short.": (
        "Ein häufiges Wort ist ein Token, ein seltenes mehrere, und kein Wort ist unbekannt, solange seine Zeichen "
        "bekannt sind. So bleiben das Vokabular klein und die Folgen kurz."
    ),
    "The gradient that reaches the product of both factors.": (
        "Der Gradient, der beim Produkt der beiden Faktoren ankommt."
    ),
    "The numbers of the file, which are not used themselves.": (
        "Die Zahlen der Datei, mit denen selbst nicht gerechnet wird."
    ),
    "What one step of the whole numbers stands for.": "Wofür ein Schritt der ganzen Zahlen steht.",
    "The whole number that stands for 0.": "Die ganze Zahl, die für 0 steht.",
    "The nearest whole numbers, counted in steps of the scale.": (
        "Die nächsten ganzen Zahlen, in Schritten der Skala gezählt."
    ),
    "A whole number of few bits reaches from one limit to the other. The scale is the step between two of them, as "
    "small as can be without leaving anything out.": (
        "Eine ganze Zahl aus wenigen Bits reicht von einer Grenze zur anderen. Die Skala ist der Schritt zwischen zwei "
        "von ihnen, so klein wie möglich, ohne dass etwas draußen bleibt."
    ),
    "Numbers seldom reach as far below 0 as above it. Moved by the zero point, the whole numbers cover just the range "
    "that there is, and 0 itself is one of them.": (
        "Zahlen reichen selten so weit unter 0 wie darüber. Um den Nullpunkt verschoben, decken die ganzen Zahlen "
        "gerade den Bereich ab, den es gibt, und 0 selbst ist eine von ihnen."
    ),
    "These are all that is kept, beside the scale: a byte or half a byte for each number, in place of two or four. "
    "What is lost of a number is at most half a step.": (
        "Nur sie werden gespeichert, neben der Skala: ein Byte oder ein halbes für jede Zahl statt zwei oder vier. Von "
        "einer Zahl geht höchstens ein halber Schritt verloren."
    ),
    "The model runs on with what is left of its numbers. Each is right to the nearest step, and how much the output "
    "changes says whether that is near enough.": (
        "Das Modell rechnet weiter mit dem, was von seinen Zahlen übrig ist. Jede stimmt auf den nächsten Schritt, und "
        "wie sehr sich die Ausgabe ändert, sagt, ob das nah genug ist."
    ),
    "What the change is added to; not trained.": "Wozu die Änderung addiert wird; wird nicht trainiert.",
    "What training adds to the base: a product of two small matrices.": (
        "Was das Training zur Grundlage addiert: ein Produkt zweier kleiner Matrizen."
    ),
    "Learned: takes r numbers from each input.": "Gelernt: entnimmt jeder Eingabe r Zahlen.",
    "Learned: makes the change of these numbers.": "Gelernt: macht aus diesen Zahlen die Änderung.",
    "What fine-tuning changes in a weight has a low rank, it is assumed: a tall matrix times a wide one. These two "
    "have far fewer numbers than the weight, and only they are trained.": (
        "Was ein Nachtrainieren an einem Gewicht ändert, hat einen niedrigen Rang, so die Annahme: Es ist eine hohe "
        "Matrix mal eine breite. Diese beiden haben viel weniger Zahlen als das Gewicht, und nur sie werden trainiert."
    ),
    "The trained model needs no other arithmetic than the old one: the change is added to the weight once, and "
    "another task is another change of the same base.": (
        "Das trainierte Modell rechnet nicht anders als das alte: Die Änderung wird einmal zum Gewicht addiert, und "
        "eine andere Aufgabe ist eine andere Änderung derselben Grundlage."
    ),
    "All heads have their weights in one matrix, and each its own part of it: one product makes them all.": (
        "Alle Köpfe haben ihre Gewichte in einer Matrix, jeder seinen Teil davon: Ein Produkt berechnet alle."
    ),
    "1: kept; 0: dropped in this training step.": "1: bleibt; 0: fällt in diesem Trainingsschritt aus.",
    "What is kept, scaled up so that sums stay the same on average.": (
        "Was bleibt, so vergrößert, dass Summen im Mittel gleich bleiben."
    ),
    "A network whose numbers vanish at random cannot rely on any single one of them, and learns features that work "
    "without the others. What is kept is scaled up, so that the model needs no change when nothing is dropped any "
    "more.": (
        "Ein Netz, dessen Zahlen zufällig ausfallen, kann sich auf keine einzelne verlassen und lernt Merkmale, die "
        "auch ohne die anderen taugen. Was bleibt, wird vergrößert, damit am Modell nichts zu ändern ist, wenn nichts "
        "mehr ausfällt."
    ),
    "How well each query (row) matches each key (column): their dot product.": (
        "Wie gut jede Anfrage (Zeile) zu jedem Schlüssel (Spalte) passt: ihr Skalarprodukt."
    ),
    "A dot product is large where two vectors point the same way, and one matrix product gives those of all pairs "
    "at once. Longer keys score higher at the same angle, so a token can also learn to be attended to more often.": (
        "Ein Skalarprodukt ist groß, wo zwei Vektoren in dieselbe Richtung zeigen, und ein Matrixprodukt liefert die "
        "aller Paare auf einmal. Längere Schlüssel erzielen beim selben Winkel höhere Scores; so kann ein Token auch "
        "lernen, öfter beachtet zu werden."
    ),
    "How much each token (row) attends to each token (column); each row adds up to 1.": (
        "Wie sehr jedes Token (Zeile) jedes Token (Spalte) beachtet; jede Zeile ergibt zusammen 1."
    ),
    "Shares add up to 1, so each token takes an average of the values, however long the sentence is. A softmax, "
    "unlike picking the best match, lets a gradient reach every key, so that what a token attends to can be "
    "learned.": (
        "Anteile ergeben zusammen 1, also nimmt jedes Token einen Durchschnitt der Werte, wie lang der Satz auch ist. "
        "Anders als die Wahl des besten Treffers lässt ein Softmax einen Gradienten zu jedem Schlüssel durch; so lässt "
        "sich lernen, was ein Token beachtet."
    ),
    "The average of the values, weighted by the attention weights.": (
        "Der Durchschnitt der Werte, gewichtet mit den Attention-Gewichten."
    ),
    "What a token looks for and what it then takes over need not be the same; that is why the values are another "
    "matrix than the keys. An average keeps the result as wide as one value, whatever the number of tokens.": (
        "Was ein Token sucht und was es dann übernimmt, muss nicht dasselbe sein; deshalb sind die Werte eine andere "
        "Matrix als die Schlüssel. Ein Durchschnitt hält das Ergebnis so breit wie einen Wert, wie viele Tokens es "
        "auch sind."
    ),
    "The outputs of all heads, side by side.": "Die Ausgaben aller Köpfe nebeneinander.",
    "One row of a softmax can favour one thing only: a single head averages what should stay apart. Several heads "
    "look for several things at once, and side by side none of their findings is mixed with another before W_O has "
    "seen them all.": (
        "Eine Zeile eines Softmax kann nur eines bevorzugen: Ein einzelner Kopf mittelt, was getrennt bleiben sollte. "
        "Mehrere Köpfe suchen mehreres zugleich, und nebeneinander vermischt sich nichts davon, bevor W_O alles "
        "gesehen hat."
    ),
    "What the heads found, projected back to d_model.": (
        "Was die Köpfe gefunden haben, zurück auf die Breite d_model gebracht."
    ),
    "Each head speaks a language of its own, and side by side they may be wider than the input. This matrix mixes "
    "what they found, and brings it to the width that the residual adds up.": (
        "Jeder Kopf spricht eine eigene Sprache, und nebeneinander können sie breiter sein als die Eingabe. Diese "
        "Matrix mischt, was sie gefunden haben, und bringt es auf die Breite, die das Residuum addiert."
    ),
    "How much each token (row) attends to each token (column); what is missing to 1 has gone to the sink.": (
        "Wie sehr jedes Token (Zeile) jedes Token (Spalte) beachtet; was an 1 fehlt, ging an die Senke."
    ),
    "The shares of the tokens and of the sink add up to 1. A head that finds nothing can give most of it to the "
    "sink, and adds next to nothing to the residual, instead of an average of tokens that do not matter.": (
        "Die Anteile der Tokens und der Senke ergeben zusammen 1. Ein Kopf, der nichts findet, kann das meiste der "
        "Senke geben und addiert dann fast nichts zum Residuum, statt eines Durchschnitts von Tokens, auf die es nicht "
        "ankommt."
    ),
    "What each token looks for.": "Was jedes Token sucht.",
    "The input says what a token is; what it needs from the others is another matter, and each head may need "
    "something else. A learned matrix for the queries lets training decide what a head looks for.": (
        "Die Eingabe sagt, was ein Token ist; was es von den anderen braucht, ist etwas anderes, und jeder Kopf kann "
        "anderes brauchen. Mit einer gelernten Matrix für die Anfragen entscheidet das Training, was ein Kopf sucht."
    ),
    "What each token can be found by.": "Woran jedes Token zu finden ist.",
    "If queries were compared with the inputs themselves, every token would match itself and its likes best. Keys "
    "of their own let a verb look for its subject: what is offered need not resemble what asks for it.": (
        "Würden die Anfragen mit den Eingaben selbst verglichen, so passte jedes Token am besten zu sich selbst und "
        "seinesgleichen. Mit eigenen Schlüsseln findet ein Verb sein Subjekt: Was angeboten wird, muss dem nicht "
        "ähneln, was danach fragt."
    ),
    "What each token passes on when it is attended to.": "Was jedes Token weitergibt, wenn es beachtet wird.",
    "What makes a token easy to find is seldom what it should pass on. Values of their own let a token be found by "
    "one property and hand over another.": (
        "Was ein Token leicht zu finden macht, ist selten das, was es weitergeben soll. Mit eigenen Werten wird ein "
        "Token an einer Eigenschaft gefunden und gibt eine andere weiter."
    ),
    "The queries, rotated according to their position.": "Die Anfragen, nach ihrer Position gedreht.",
    "A dot product does not know where its vectors stand. Two rotated vectors have a dot product that depends on "
    "the difference of their angles, so a score sees how far apart two tokens are, and not where in the text they "
    "stand.": (
        "Ein Skalarprodukt weiß nicht, wo seine Vektoren stehen. Bei zwei gedrehten Vektoren hängt es von der "
        "Differenz ihrer Winkel ab; so sieht ein Score, wie weit zwei Tokens voneinander entfernt sind, und nicht, wo "
        "im Text sie stehen."
    ),
    "The keys, rotated according to their position: scores now depend on the distance.": (
        "Die Schlüssel, nach ihrer Position gedreht: Die Scores hängen nun vom Abstand ab."
    ),
    "Only the difference of two rotations is left in a dot product, so queries and keys have to be rotated both, "
    "by the same rule. The values are not rotated: position decides who is attended to, not what is handed over.": (
        "In einem Skalarprodukt bleibt von zwei Drehungen nur die Differenz; darum werden Anfragen und Schlüssel beide "
        "gedreht, nach derselben Regel. Die Werte werden nicht gedreht: Die Position entscheidet, wer beachtet wird, "
        "nicht, was er weitergibt."
    ),
    "The keys of all tokens so far: the cached ones and that of the new token.": (
        "Die Schlüssel aller bisherigen Tokens: die gemerkten und der des neuen Tokens."
    ),
    "Behind a causal mask, a new token changes no key before it. Computing them again for every word would make a "
    "text of n words cost n times as much; they are kept, and only the new one is added.": (
        "Hinter einer kausalen Maske ändert ein neues Token keinen Schlüssel vor ihm. Sie für jedes Wort neu zu "
        "berechnen, machte einen Text von n Wörtern n-mal so teuer; sie werden behalten, und nur der neue kommt dazu."
    ),
    "The values of all tokens so far: the cached ones and that of the new token.": (
        "Die Werte aller bisherigen Tokens: die gemerkten und der des neuen Tokens."
    ),
    "Behind a causal mask, a new token changes no value before it either. Kept beside the keys, they leave one row "
    "to compute for each new word.": (
        "Hinter einer kausalen Maske ändert ein neues Token auch keinen Wert vor ihm. Werden sie neben den Schlüsseln "
        "behalten, so ist für jedes neue Wort nur eine Zeile zu berechnen."
    ),
    "The average of the squares of each vector's numbers.": "Der Durchschnitt der Quadrate der Zahlen jedes Vektors.",
    "Layer norm does two things: it centers and it scales. Zhang and Sennrich found that scaling does the work, so "
    "the mean need not be computed, and the average of the squares is enough.": (
        "Die Layer-Norm tut zweierlei: Sie zentriert und sie skaliert. Zhang und Sennrich fanden, dass es auf das "
        "Skalieren ankommt; also muss kein Mittelwert berechnet werden, und der Durchschnitt der Quadrate genügt."
    ),
    "How large the numbers of a vector typically are.": "Wie groß die Zahlen eines Vektors üblicherweise sind.",
    "The mean square is in squared units; the root brings it back to those of the vector. An epsilon keeps a "
    "vector of zeros from being divided by zero.": (
        "Das Mittel der Quadrate hat quadrierte Einheiten; die Wurzel führt zu denen des Vektors zurück. Ein "
        "Epsilon verhindert, dass ein Vektor aus Nullen durch null geteilt wird."
    ),
    "Each vector with a mean square of 1; its mean may be any number.": (
        "Jeder Vektor mit 1 als Mittel der Quadrate; sein Mittelwert kann beliebig sein."
    ),
    "The next part sees vectors of the same size in every layer, for less arithmetic than a layer norm. The mean "
    "stays what it was: models train as well with it.": (
        "Der nächste Teil sieht in jeder Schicht Vektoren gleicher Größe, mit weniger Rechnung als bei einer "
        "Layer-Norm. Der Mittelwert bleibt, was er war: Modelle lassen sich damit ebenso gut trainieren."
    ),
    "Each vector brought to the same size, ready for the next part.": (
        "Jeder Vektor auf dieselbe Größe gebracht, bereit für den nächsten Teil."
    ),
    "The next part sees vectors of the same size in every layer. Gamma, where there is one, lets training make a "
    "feature count more or less than the others again.": (
        "Der nächste Teil sieht in jeder Schicht Vektoren gleicher Größe. Mit Gamma, wo es eines gibt, kann das "
        "Training ein Merkmal wieder mehr oder weniger zählen lassen als die anderen."
    ),
    "1: may be attended to; 0: hidden.": "1: darf beachtet werden; 0: verdeckt.",
    "For each query and key the row of the table: the bucket, from 0.": (
        "Für jede Anfrage und jeden Schlüssel die Zeile der Tabelle: die Abstandsklasse, ab 0."
    ),
    "Whether a word is one or two places away matters, 50 or 51 does not. So near distances have a bucket each and "
    "far ones share, and a table with few rows serves a text of any length.": (
        "Ob ein Wort eine oder zwei Stellen entfernt ist, macht etwas aus, ob 50 oder 51, nicht. Darum hat jeder nahe "
        "Abstand eine eigene Klasse, ferne teilen sich welche, und eine Tabelle mit wenigen Zeilen reicht für Texte "
        "jeder Länge."
    ),
    "The angle by which each pair of features (column) is rotated at each position (row).": (
        "Der Winkel, um den jedes Paar von Merkmalen (Spalte) an jeder Position (Zeile) gedreht wird."
    ),
    "Each pair of features turns at its own speed: fast ones tell neighbours apart, slow ones do not repeat within "
    "a text. Together they name every distance, as the hands of a clock name the time.": (
        "Jedes Paar von Merkmalen dreht sich mit eigener Geschwindigkeit: Schnelle unterscheiden Nachbarn, langsame "
        "wiederholen sich im Text nicht. Zusammen benennen sie jeden Abstand, wie die Zeiger einer Uhr die Zeit."
    ),
    "By how much each pair of features is rotated from token to token.": (
        "Um wie viel jedes Paar von Merkmalen von Token zu Token gedreht wird."
    ),
    "In a text longer than any in training, slow pairs would reach angles that the model has never seen; turned "
    "more slowly they do not. Fast pairs have gone round many times in training, and stay as they are.": (
        "In einem Text, der länger ist als jeder im Training, kämen langsame Paare zu Winkeln, die das Modell nie "
        "gesehen hat; langsamer gedreht kommen sie nicht dorthin. Schnelle Paare haben im Training viele Runden "
        "gedreht und bleiben, wie sie sind."
    ),
    "The scores scaled down, so that the softmax does not saturate.": (
        "Die Scores, verkleinert, damit der Softmax nicht in die Sättigung gerät."
    ),
    "The dot product of d_k independent numbers of mean 0 and variance 1 has variance d_k. Scores that large make "
    "the softmax nearly one-hot, where its gradient all but vanishes; divided by √d_k they have variance 1 again, "
    "however wide the head is.": (
        "Das Skalarprodukt von d_k unabhängigen Zahlen mit Mittelwert 0 und Varianz 1 hat die Varianz d_k. So große "
        "Scores machen den Softmax fast zu einer Entweder-oder-Wahl, bei der sein Gradient beinahe verschwindet; durch "
        "√d_k geteilt, haben sie wieder Varianz 1, wie breit der Kopf auch ist."
    ),
    "The scores, kept between −cap and cap.": "Die Scores, zwischen −cap und cap gehalten.",
    "A few very large scores would make the softmax one-hot and training unstable. tanh leaves small scores nearly "
    "as they are and bends large ones towards the cap; unlike cutting them off, it keeps their order and a "
    "gradient.": (
        "Einige sehr große Scores machten den Softmax zu einer Entweder-oder-Wahl und das Training instabil. tanh "
        "lässt kleine Scores fast, wie sie sind, und biegt große zur Grenze hin; anders als beim Abschneiden bleiben "
        "ihre Reihenfolge und ein Gradient erhalten."
    ),
    "The scores, lowered in proportion to the distance between the two tokens.": (
        "Die Scores, im Verhältnis zum Abstand der beiden Tokens vermindert."
    ),
    "Without positions, attention sees a bag of words. A penalty that grows with the distance needs no table of "
    "positions, so a longer text than any in training is nothing new; each head has another slope, and so another "
    "range.": (
        "Ohne Positionen sieht die Attention eine Tüte voller Wörter. Ein Abzug, der mit dem Abstand wächst, braucht "
        "keine Tabelle der Positionen; also ist ein Text, der länger ist als jeder im Training, nichts Neues. Jeder "
        "Kopf hat eine andere Steigung und damit eine andere Reichweite."
    ),
    "The scores with disallowed positions masked out.": "Die Scores, in denen nicht erlaubte Positionen verdeckt sind.",
    "A position that is to predict the next word must not see it. Hidden before the softmax, a score of −∞ becomes "
    "a weight of 0 and the others still add up to 1; hidden after it, they would not.": (
        "Eine Position, die das nächste Wort vorhersagen soll, darf es nicht sehen. Vor dem Softmax verdeckt, wird aus "
        "einem Score von −∞ das Gewicht 0, und die anderen ergeben zusammen immer noch 1; erst danach verdeckt, täten "
        "sie es nicht."
    ),
    "The scores, with what has been learned for the distance between the two tokens.": (
        "Die Scores mit dem, was für den Abstand der beiden Tokens gelernt wurde."
    ),
    "Without positions, attention sees a bag of words. A learned number for each distance says how much a token so "
    "far away matters to this head, wherever in the text the two stand.": (
        "Ohne Positionen sieht die Attention eine Tüte voller Wörter. Eine gelernte Zahl für jeden Abstand sagt, wie "
        "viel diesem Kopf an einem so weit entfernten Token liegt, wo im Text die beiden auch stehen."
    ),
    "The id of each token in the vocabulary.": "Die Nummer jedes Tokens im Vokabular.",
    "The vector of each word.": "Der Vektor jedes Wortes.",
    "The vector of each id, learned.": "Der Vektor jeder Nummer, gelernt.",
    "One vector for each token: what the word means.": "Ein Vektor für jedes Token: was das Wort bedeutet.",
    "A number such as 17 says nothing of a word, and nothing of its likeness to word 18. A vector can be near to "
    "some words and far from others, and training moves it; looking up a row is all the arithmetic there is.": (
        "Eine Nummer wie 17 sagt nichts über ein Wort und nichts darüber, ob es Wort 18 ähnelt. Ein Vektor kann "
        "manchen Wörtern nahe und anderen fern sein, und das Training verschiebt ihn; eine Zeile nachzuschlagen, ist "
        "alles, was hier zu rechnen ist."
    ),
    "The embeddings scaled up, so that the positional encoding does not outweigh them.": (
        "Die Embeddings, vergrößert, damit die Positionskodierung sie nicht überwiegt."
    ),
    "Embeddings often begin as small numbers, while sines and cosines reach 1: added as they are, position would "
    "drown meaning. The paper multiplies by √d_model and gives no reason; this is the usual one.": (
        "Embeddings sind anfangs oft kleine Zahlen, während Sinus und Kosinus bis 1 reichen: Unverändert addiert, "
        "ginge die Bedeutung in der Position unter. Die Veröffentlichung multipliziert mit √d_model und nennt keinen "
        "Grund; dies ist der übliche."
    ),
    "A learned vector for each position, counted from 0.": "Ein gelernter Vektor für jede Position, ab 0 gezählt.",
    "One vector for each position: where in the sentence the token is.": (
        "Ein Vektor für jede Position: wo im Satz das Token steht."
    ),
    "Attention alone sees a bag of words: with the rows exchanged, it gives the same outputs, exchanged. Waves of "
    "different lengths give every position a pattern of its own, and a shift is the same rotation everywhere, so "
    "distances can be learned.": (
        "Attention allein sieht eine Tüte voller Wörter: Vertauscht man die Zeilen, kommen dieselben Ausgaben heraus, "
        "vertauscht. Wellen verschiedener Länge geben jeder Position ein eigenes Muster, und eine Verschiebung ist "
        "überall dieselbe Drehung; so lassen sich Abstände lernen."
    ),
    "Attention alone sees a bag of words: with the rows exchanged, it gives the same outputs, exchanged. A vector "
    "for each position, learned like those of words, says where a word stands; beyond the last one learned it says "
    "nothing.": (
        "Attention allein sieht eine Tüte voller Wörter: Vertauscht man die Zeilen, kommen dieselben Ausgaben heraus, "
        "vertauscht. Ein Vektor für jede Position, gelernt wie die der Wörter, sagt, wo ein Wort steht; jenseits der "
        "letzten gelernten sagt er nichts."
    ),
    "The one matrix that shifts the encoding of any position by the offset.": (
        "Die eine Matrix, die die Kodierung jeder Position um den Versatz verschiebt."
    ),
    "The paper chose sines because the encoding k positions further is a linear function of this one. This is that "
    "function: one rotation for each pair of sine and cosine, the same at every position.": (
        "Die Veröffentlichung wählte Sinuskurven, weil die Kodierung k Positionen weiter eine lineare Funktion der "
        "jetzigen ist. Dies ist diese Funktion: eine Drehung für jedes Paar aus Sinus und Kosinus, dieselbe an jeder "
        "Position."
    ),
    "The encoding of each position, multiplied by the rotation.": (
        "Die Kodierung jeder Position, mit der Drehung multipliziert."
    ),
    "If the claim is right, one matrix takes every position to the one that lies the offset further. The product "
    "says what it makes of them, without knowing any of the positions.": (
        "Stimmt die Behauptung, so führt eine einzige Matrix jede Position zu der, die um den Versatz weiter liegt. "
        "Das Produkt sagt, was sie aus ihnen macht, ohne eine der Positionen zu kennen."
    ),
    "The encoding of each position plus the offset, by the formula itself.": (
        "Die Kodierung jeder Position plus Versatz, mit der Formel selbst."
    ),
    "To compare with: the same positions, calculated without the rotation. What is claimed should be computed in "
    "two ways.": (
        "Zum Vergleich: dieselben Positionen, ohne die Drehung berechnet. Was behauptet wird, soll auf zwei Wegen "
        "berechnet sein."
    ),
    "Zero everywhere: rotating and shifting are the same.": "Überall null: Drehen und Verschieben sind dasselbe.",
    "Zeros are the proof, for these positions: the matrix does what the formula does. Because it is the same "
    "matrix everywhere, an attention can learn to look a fixed number of words back.": (
        "Die Nullen sind der Beweis für diese Positionen: Die Matrix tut, was die Formel tut. Weil es überall dieselbe "
        "Matrix ist, kann eine Attention lernen, eine feste Zahl von Wörtern zurückzuschauen."
    ),
    "The vector of the segment that all positions belong to.": (
        "Der Vektor des Segments, zu dem alle Positionen gehören."
    ),
    "One vector for each position: which segment it belongs to.": (
        "Ein Vektor für jede Position: zu welchem Segment sie gehört."
    ),
    "A model that reads two sentences at once cannot tell by a word which of them it stands in. A vector for each "
    "sentence, added to all its words, says so.": (
        "Ein Modell, das zwei Sätze auf einmal liest, sieht einem Wort nicht an, in welchem es steht. Ein Vektor für "
        "jeden Satz, zu allen seinen Wörtern addiert, sagt es."
    ),
    "Meaning, position and segment in one vector.": "Bedeutung, Position und Segment in einem Vektor.",
    "All parts are added rather than set side by side, so the model becomes no wider. In many dimensions, learned "
    "directions can stay nearly at right angles, and the layers after this can still tell meaning, position and "
    "segment apart.": (
        "Alle Teile werden addiert statt nebeneinandergestellt, so wird das Modell nicht breiter. In vielen "
        "Dimensionen können gelernte Richtungen fast rechtwinklig zueinander bleiben, und die folgenden Schichten "
        "können Bedeutung, Position und Segment noch auseinanderhalten."
    ),
    "Meaning and position in one vector: what the first layer sees.": (
        "Bedeutung und Position in einem Vektor: was die erste Schicht sieht."
    ),
    "Attention compares words without knowing their order; from here on each vector carries its place with it. "
    "Adding, rather than setting side by side, keeps the width, and the layers learn to tell the two apart.": (
        "Attention vergleicht Wörter, ohne ihre Reihenfolge zu kennen; von hier an trägt jeder Vektor seinen Platz bei "
        "sich. Addieren statt Nebeneinanderstellen erhält die Breite, und die Schichten lernen, beides "
        "auseinanderzuhalten."
    ),
    "How well each expert (column) suits each token (row).": (
        "Wie gut jeder Experte (Spalte) zu jedem Token (Zeile) passt."
    ),
    "A larger network knows more and costs more for every token. A router that is as small as one matrix decides "
    "which part of it a token needs, so that most of it is left alone.": (
        "Ein größeres Netz weiß mehr und kostet für jedes Token mehr. Ein Router, so klein wie eine einzige Matrix, "
        "entscheidet, welchen Teil davon ein Token braucht, damit das meiste ruhen kann."
    ),
    "The logits as shares of the experts.": "Die Logits als Anteile der Experten.",
    "The output of an expert is multiplied by its score. That is how the router learns: a choice alone has no "
    "gradient, the number that it is multiplied by has one.": (
        "Die Ausgabe eines Experten wird mit seinem Score multipliziert. So lernt der Router: Eine Wahl allein hat "
        "keinen Gradienten, die Zahl, mit der multipliziert wird, hat einen."
    ),
    "A number for each expert that counts in the choice alone.": (
        "Eine Zahl für jeden Experten, die nur bei der Auswahl zählt."
    ),
    "What the choice goes by, and nothing else does.": "Wonach ausgewählt wird, und sonst nichts.",
    "Experts that are chosen too rarely are helped by raising their number here. The weights of those chosen stay "
    "as they were, so that balance costs the model nothing.": (
        "Experten, die zu selten gewählt werden, hilft es, wenn hier ihre Zahl erhöht wird. Die Gewichte der gewählten "
        "bleiben, wie sie waren; so kostet der Ausgleich das Modell nichts."
    ),
    "1 for the experts that a token is sent to; of equal ones the first.": (
        "1 für die Experten, zu denen ein Token geschickt wird; von gleichen der erste."
    ),
    "Only the chosen experts count, so a program need not calculate the others. Here they are calculated all the "
    "same, to show what would have come of another choice.": (
        "Nur die gewählten Experten zählen, also muss ein Programm die anderen nicht berechnen. Hier werden sie "
        "trotzdem berechnet, um zu zeigen, was bei einer anderen Wahl herausgekommen wäre."
    ),
    "The scores of the chosen experts, 0 for all others.": "Die Scores der gewählten Experten, 0 für alle anderen.",
    "An expert that is not chosen has the weight 0. So its output counts nothing, whatever it is, and no gradient "
    "reaches it.": (
        "Ein nicht gewählter Experte hat das Gewicht 0. So zählt seine Ausgabe nicht, was sie auch ist, und kein "
        "Gradient erreicht ihn."
    ),
    "The logits of the chosen experts, −∞ for all others.": "Die Logits der gewählten Experten, −∞ für alle anderen.",
    "A softmax of these is a softmax over the chosen experts alone. It is the same as a softmax over all of them, "
    "kept and divided by its sum.": (
        "Ein Softmax hiervon ist ein Softmax über die gewählten Experten allein. Das ist dasselbe wie ein Softmax über "
        "alle, von dem die gewählten behalten und durch ihre Summe geteilt werden."
    ),
    "What the kept scores are divided by.": "Wodurch die behaltenen Scores geteilt werden.",
    "Divided by it, the weights of a token's experts add up to 1, however well they suit it. Models differ here: "
    "without it, a token that suits no expert gets little from all.": (
        "Dadurch geteilt, ergeben die Gewichte der Experten eines Tokens zusammen 1, wie gut sie auch zu ihm passen. "
        "Modelle unterscheiden sich hier: Ohne das bekommt ein Token, zu dem kein Experte passt, von allen wenig."
    ),
    "How much each expert (column) counts for each token (row).": (
        "Wie viel jeder Experte (Spalte) für jedes Token (Zeile) zählt."
    ),
    "Each token takes a weighted sum of what its experts make of it. The weights carry the gradient back to the "
    "router, for the experts that were chosen.": (
        "Jedes Token nimmt eine gewichtete Summe dessen, was seine Experten aus ihm machen. Die Gewichte tragen den "
        "Gradienten zum Router zurück, für die gewählten Experten."
    ),
    "What the experts make of each token, added up by weight.": (
        "Was die Experten aus jedem Token machen, nach Gewicht addiert."
    ),
    "The layer has as many parameters as all experts together, and a token passes through few of them. So models "
    "grow without the cost of a token growing alike.": (
        "Die Schicht hat so viele Parameter wie alle Experten zusammen, und ein Token durchläuft nur wenige davon. So "
        "wachsen Modelle, ohne dass ein Token ebenso teurer wird."
    ),
    "Each vector expanded to d_ff features.": "Jeder Vektor, auf d_ff Merkmale erweitert.",
    "Attention moves information between tokens, but for given weights it only averages. Here each token is worked "
    "on by itself, and the wider layer has room for more features than the vector: the paper's is four times as "
    "wide.": (
        "Attention bewegt Information zwischen Tokens, aber bei gegebenen Gewichten mittelt sie nur. Hier wird jedes "
        "Token für sich bearbeitet, und die breitere Schicht hat Raum für mehr Merkmale als der Vektor: In der "
        "Veröffentlichung ist sie viermal so breit."
    ),
    "The part of the hidden layer that passes.": "Der Teil der verdeckten Schicht, der durchkommt.",
    "Without it, two matrices one after the other are no more than one: W_1·W_2. A bend between them lets the "
    "network answer differently in different places; which bend it is matters less than that there is one.": (
        "Ohne sie wären zwei Matrizen nacheinander nicht mehr als eine: W_1·W_2. Ein Knick dazwischen lässt das Netz "
        "an verschiedenen Stellen verschieden antworten; welcher Knick es ist, macht weniger aus, als dass es einen "
        "gibt."
    ),
    "For each vector, how much of each of its d_ff features may pass.": (
        "Für jeden Vektor, wie viel von jedem seiner d_ff Merkmale durchkommen darf."
    ),
    "A fixed bend treats every feature alike. Here the vector itself decides, by a second matrix, how much of each "
    "feature is let through; in practice that trains better, and Shazeer offers no explanation for it.": (
        "Ein fester Knick behandelt alle Merkmale gleich. Hier entscheidet der Vektor selbst, mit einer zweiten "
        "Matrix, wie viel von jedem Merkmal durchgelassen wird; in der Praxis lässt sich das besser trainieren, und "
        "Shazeer bietet keine Erklärung dafür."
    ),
    "What each feature of the hidden layer is multiplied by.": (
        "Womit jedes Merkmal der verdeckten Schicht multipliziert wird."
    ),
    "Without a bend here, the gate times the hidden layer would be a plain product of two linear maps. The "
    "activation closes the gate for some features and opens it for others.": (
        "Ohne einen Knick hier wäre Tor mal verdeckte Schicht ein bloßes Produkt zweier linearer Abbildungen. Die "
        "Aktivierung schließt das Tor für manche Merkmale und öffnet es für andere."
    ),
    "The hidden layer, multiplied by the gate.": "Die verdeckte Schicht, mit dem Tor multipliziert.",
    "Multiplying, rather than adding, lets one part of the vector switch another one off. A sum could only shift it.": (
        "Durch Multiplizieren statt Addieren kann ein Teil des Vektors einen anderen abschalten. Eine Summe könnte ihn "
        "nur verschieben."
    ),
    "The features projected back to d_model.": "Die Merkmale, zurück auf die Breite d_model gebracht.",
    "The residual needs a vector as wide as the input. What each hidden feature has found is written back as a "
    "direction of the stream, and those that did not fire write nothing.": (
        "Das Residuum braucht einen Vektor, so breit wie die Eingabe. Was jedes verdeckte Merkmal gefunden hat, wird "
        "als eine Richtung des Stroms zurückgeschrieben; die nicht angesprochen haben, schreiben nichts."
    ),
    "The gate, cut where it is above the limit.": "Das Tor, abgeschnitten, wo es über der Grenze liegt.",
    "Few numbers with few bits can hold very large ones, and one of them would spoil a whole row. Cut at a limit, "
    "the gate stays where such numbers are exact enough.": (
        "Zahlen mit wenigen Bits fassen sehr große kaum, und eine davon verdürbe eine ganze Zeile. An einer Grenze "
        "abgeschnitten, bleibt das Tor dort, wo solche Zahlen genau genug sind."
    ),
    "The hidden layer, cut at the limit on both sides.": (
        "Die verdeckte Schicht, auf beiden Seiten an der Grenze abgeschnitten."
    ),
    "The product of gate and hidden layer may be far larger than either. With both within a limit, it is within "
    "bounds too.": (
        "Das Produkt aus Tor und verdeckter Schicht kann viel größer sein als jedes von beiden. Liegen beide innerhalb "
        "einer Grenze, hat auch das Produkt eine."
    ),
    "The average of each token's vector.": "Der Durchschnitt des Vektors jedes Tokens.",
    "Every residual adds to the vectors, so from layer to layer they would drift. The mean is that of one token's "
    "own features, not of a batch, so a sentence alone is treated like one among many.": (
        "Jedes Residuum addiert etwas zu den Vektoren; von Schicht zu Schicht würden sie abdriften. Der Mittelwert ist "
        "der der eigenen Merkmale eines Tokens, nicht eines Stapels; so wird ein einzelner Satz behandelt wie einer "
        "unter vielen."
    ),
    "What the norm over all heads is taken of.": "Wovon die Norm über alle Köpfe genommen wird.",
    "A norm of each head by itself takes away how large one head is compared with another. Over all heads side by "
    "side there is one divisor a token, and the heads keep their sizes to one another.": (
        "Eine Norm jedes Kopfs für sich nimmt weg, wie groß ein Kopf im Vergleich zum anderen ist. Über alle Köpfe "
        "nebeneinander gibt es einen Teiler je Token, und die Köpfe behalten ihre Größe zueinander."
    ),
    "How far each number lies from its vector's mean.": "Wie weit jede Zahl vom Mittelwert ihres Vektors entfernt ist.",
    "What all features have in common carries no contrast. Taken away, it leaves what distinguishes the features "
    "of this token.": (
        "Was alle Merkmale gemeinsam haben, trägt keinen Kontrast. Abgezogen lässt es übrig, was die Merkmale dieses "
        "Tokens unterscheidet."
    ),
    "The average of the squared distances from the mean.": "Der Durchschnitt der quadrierten Abstände vom Mittelwert.",
    "To bring vectors to one scale, the scale has to be measured. Squares make distances above and below the mean "
    "count alike.": (
        "Um Vektoren auf einen Maßstab zu bringen, muss der Maßstab gemessen werden. Durch Quadrate zählen Abstände "
        "nach oben und nach unten gleich."
    ),
    "How far the numbers of a vector typically lie from their mean.": (
        "Wie weit die Zahlen eines Vektors üblicherweise von ihrem Mittelwert entfernt sind."
    ),
    "The variance is in squared units; the root brings it back to those of the vector. An epsilon keeps a "
    "vector whose features are all equal from being divided by zero.": (
        "Die Varianz hat quadrierte Einheiten; die Wurzel führt zu denen des Vektors zurück. Ein Epsilon verhindert, "
        "dass ein Vektor mit lauter gleichen Merkmalen durch null geteilt wird."
    ),
    "Each vector with mean 0 and standard deviation 1.": "Jeder Vektor mit Mittelwert 0 und Standardabweichung 1.",
    "The next part sees numbers of the same size in every layer and for every token. That keeps gradients from "
    "growing or vanishing on their way through many layers.": (
        "Der nächste Teil sieht in jeder Schicht und für jedes Token Zahlen gleicher Größe. Das verhindert, dass "
        "Gradienten auf ihrem Weg durch viele Schichten wachsen oder verschwinden."
    ),
    "Each vector brought to the same scale, ready for the next part.": (
        "Jeder Vektor auf denselben Maßstab gebracht, bereit für den nächsten Teil."
    ),
    "The next part sees vectors of the same scale in every layer, so that a deep stack can be trained. Gamma and "
    "beta, where there are any, let training give back to a feature the size and place that the norm has taken "
    "from it.": (
        "Der nächste Teil sieht in jeder Schicht Vektoren mit demselben Maßstab; so lässt sich ein tiefer Stapel "
        "trainieren. Mit Gamma und Beta, wo es sie gibt, kann das Training einem Merkmal Größe und Lage zurückgeben, "
        "die ihm die Norm genommen hat."
    ),
    "Each vector times alpha, which says how steep the tanh is.": (
        "Jeder Vektor mal Alpha, das sagt, wie steil der tanh ist."
    ),
    "Alpha does what the division by a deviation does in a norm: it decides which numbers are small, and stay "
    "nearly as they are, and which are large. It is learned once for all tokens instead of measured for each.": (
        "Alpha tut, was in einer Norm die Division durch eine Abweichung tut: Es entscheidet, welche Zahlen klein sind "
        "und fast bleiben, wie sie sind, und welche groß. Es wird einmal für alle Tokens gelernt, statt für jedes "
        "gemessen."
    ),
    "Each number between −1 and 1, small ones nearly as they are.": (
        "Jede Zahl zwischen −1 und 1, kleine fast, wie sie sind."
    ),
    "Zhu et al. saw that trained layer norms map their inputs along curves like tanh: nearly straight in the "
    "middle, flat at the ends. So a tanh may take their place, without any sum over the features.": (
        "Zhu u. a. sahen, dass trainierte Layer-Norms ihre Eingaben längs Kurven wie tanh abbilden: in der Mitte fast "
        "gerade, an den Enden flach. Also kann ein tanh an ihre Stelle treten, ohne jede Summe über die Merkmale."
    ),
    "Each number kept within bounds without a look at the others.": (
        "Jede Zahl in Grenzen gehalten, ohne einen Blick auf die anderen."
    ),
    "The next part sees numbers within bounds in every layer, though no mean and no deviation is computed. Gamma "
    "and beta, where there are any, let a feature have the size and place that it needs.": (
        "Der nächste Teil sieht in jeder Schicht Zahlen in Grenzen, obwohl weder Mittelwert noch Abweichung berechnet "
        "werden. Mit Gamma und Beta, wo es sie gibt, kann ein Merkmal Größe und Lage haben, die es braucht."
    ),
    "How strongly each position (row) favours each word (column).": (
        "Wie sehr jede Position (Zeile) jedes Wort (Spalte) bevorzugt."
    ),
    "A vector is no word. Its dot product with a vector for each word says how well that word would fit here, and "
    "training pushes up the one that came next; often these are the embeddings themselves, which have to be "
    "learned only once.": (
        "Ein Vektor ist kein Wort. Sein Skalarprodukt mit einem Vektor für jedes Wort sagt, wie gut dieses Wort hier "
        "passte, und das Training hebt das an, das als nächstes kam; oft sind das die Embeddings selbst, die nur "
        "einmal gelernt werden müssen."
    ),
    "The logits, kept between −cap and cap.": "Die Logits, zwischen −cap und cap gehalten.",
    "A few very large logits would make all other words impossible and training unstable. tanh leaves small logits "
    "nearly as they are and keeps the order of all.": (
        "Einige sehr große Logits machten alle anderen Wörter unmöglich und das Training instabil. tanh lässt kleine "
        "Logits fast, wie sie sind, und erhält die Reihenfolge aller."
    ),
    "Divided by the temperature: sharper below 1, flatter above.": (
        "Durch die Temperatur geteilt: unter 1 schärfer, über 1 flacher."
    ),
    "Softmax looks at differences of logits. Dividing them by a temperature below 1 widens the differences, above "
    "1 narrows them; the order of the words stays the same.": (
        "Der Softmax sieht auf Differenzen von Logits. Eine Temperatur unter 1 vergrößert sie beim Teilen, eine über 1 "
        "verkleinert sie; die Reihenfolge der Wörter bleibt gleich."
    ),
    "How likely each word (column) is to come next; each row adds up to 1.": (
        "Wie wahrscheinlich jedes Wort (Spalte) als nächstes kommt; jede Zeile ergibt zusammen 1."
    ),
    "To choose a word, or to be told how wrong a choice was, the logits must become shares of certainty. Softmax "
    "gives each word a positive one, so that none is ever impossible and −ln of it is a finite loss.": (
        "Um ein Wort zu wählen oder zu erfahren, wie falsch eine Wahl war, müssen die Logits zu Anteilen der "
        "Gewissheit werden. Der Softmax gibt jedem Wort einen positiven; so ist keines je unmöglich, und −ln davon ist "
        "ein endlicher Verlust."
    ),
    "The most probable next word at each position, and its probability.": (
        "Das wahrscheinlichste nächste Wort an jeder Position, und seine Wahrscheinlichkeit."
    ),
    "The simplest choice is the likeliest word. It need not begin the likeliest text, which is why beams and draws "
    "are used as well.": (
        "Die einfachste Wahl ist das wahrscheinlichste Wort. Der wahrscheinlichste Text muss nicht damit beginnen; "
        "deshalb werden auch mehrere Anfänge verfolgt oder Wörter gezogen."
    ),
    "The row maximum subtracted: the weights stay the same, and e^x cannot overflow.": (
        "Das Zeilenmaximum ist abgezogen: Die Gewichte bleiben gleich, und e^x kann nicht überlaufen."
    ),
    "e^x of a large score is more than a computer can hold. Subtracting the same number from a whole row divides "
    "all its exponentials by the same factor, which the division by their sum takes out again.": (
        "e^x eines großen Scores ist mehr, als ein Computer fassen kann. Dieselbe Zahl von einer ganzen Zeile "
        "abzuziehen, teilt alle ihre Exponentialwerte durch denselben Faktor, den die Division durch ihre Summe wieder "
        "herausnimmt."
    ),
    "e to the power of each score: all positive, larger scores much larger.": (
        "e hoch jeden Score: alle positiv, größere Scores viel größer."
    ),
    "Shares must be positive, and scores are not. e^x is positive everywhere and turns a difference of scores into "
    "a ratio: one more point is e ≈ 2.718 times the weight, whatever the other scores are.": (
        "Anteile müssen positiv sein, und Scores sind es nicht. e^x ist überall positiv und macht aus einer Differenz "
        "von Scores ein Verhältnis: Ein Punkt mehr ist das e-fache Gewicht, e ≈ 2,718, wie die anderen Scores auch "
        "sind."
    ),
    "What each row is divided by, so that its weights add up to 1.": (
        "Wodurch jede Zeile geteilt wird, damit ihre Gewichte zusammen 1 ergeben."
    ),
    "Divided by their sum, the exponentials of a row become shares of a whole. So a score counts only in "
    "comparison with the others of its row: raising all of them by the same number changes nothing.": (
        "Durch ihre Summe geteilt, werden die Exponentialwerte einer Zeile zu Anteilen an einem Ganzen. So zählt ein "
        "Score nur im Vergleich mit den anderen seiner Zeile: Alle um dieselbe Zahl zu erhöhen, ändert nichts."
    ),
    "e to the power of the sink's score, which every row has too.": (
        "e hoch den Score der Senke, die jede Zeile auch hat."
    ),
    "The largest score of each row, in this block and those before it.": (
        "Der größte Score jeder Zeile, in diesem Block und denen davor."
    ),
    "A softmax subtracts the largest score of the whole row, and that is known only at the end. The largest so far "
    "will do, if what was summed up by an earlier one is put right whenever it grows.": (
        "Ein Softmax zieht den größten Score der ganzen Zeile ab, und der ist erst am Ende bekannt. Der bisher größte "
        "genügt, wenn das, was mit einem früheren summiert wurde, berichtigt wird, sobald er wächst."
    ),
    "What the sums so far are multiplied by, because the largest score has grown.": (
        "Womit die bisherigen Summen multipliziert werden, weil der größte Score gewachsen ist."
    ),
    "Every exponential so far was taken with an earlier, smaller maximum. One factor for each row turns all of "
    "them into what they would have been with the new one; it is 1 where the maximum has stayed.": (
        "Jede bisherige Potenz hatte ein früheres, kleineres Maximum. Ein Faktor für jede Zeile macht aus allen, was "
        "sie mit dem neuen gewesen wären; er ist 1, wo das Maximum geblieben ist."
    ),
    "e to the power of each score of the block, less the largest score so far.": (
        "e hoch jeden Score des Blocks, abzüglich des bisher größten."
    ),
    "Only the scores of one block of keys are needed at a time. That is what makes long texts affordable: the "
    "whole table of weights, n times n, is never stored.": (
        "Es braucht immer nur die Scores eines Blocks von Schlüsseln. Das macht lange Texte bezahlbar: Die ganze "
        "Tabelle der Gewichte, n mal n, wird nie gespeichert."
    ),
    "The sum of the exponentials of each row, in this block and those before it.": (
        "Die Summe der Potenzen jeder Zeile, in diesem Block und denen davor."
    ),
    "The divisor of the softmax grows block by block. What is divided by it can wait until the end: the division "
    "is the same for all keys of a row.": (
        "Der Divisor des Softmax wächst Block für Block. Die Division kann bis zum Ende warten: Sie ist für alle "
        "Schlüssel einer Zeile dieselbe."
    ),
    "The values weighted by the exponentials, in this block and those before it, not yet divided.": (
        "Die mit den Potenzen gewichteten Werte, in diesem Block und denen davor, noch nicht geteilt."
    ),
    "A weighted average is a sum divided by the sum of the weights. So the values can be added up as they come, "
    "and divided once, behind the last block.": (
        "Ein gewichtetes Mittel ist eine Summe, geteilt durch die Summe der Gewichte. So können die Werte addiert "
        "werden, wie sie kommen, und einmal geteilt, hinter dem letzten Block."
    ),
    "A softmax has to give its whole away, even where a head finds nothing to look for. The sink takes what no "
    "token should have: it has a share and no value, so that what it takes is lost.": (
        "Ein Softmax muss sein Ganzes verteilen, auch wo ein Kopf nichts zu suchen findet. Die Senke nimmt, was kein "
        "Token haben soll: Sie hat einen Anteil und keinen Wert, und so ist verloren, was sie nimmt."
    ),
    "What each row is divided by: its exponentials and that of the sink.": (
        "Wodurch jede Zeile geteilt wird: ihre Exponentialwerte und der der Senke."
    ),
    "Divided by this sum, the exponentials of a row become shares of a whole of which the sink has one too. What "
    "the tokens get adds up to less than 1, and to nearly nothing where the sink is far above all scores.": (
        "Durch diese Summe geteilt, werden die Exponentialwerte einer Zeile zu Anteilen an einem Ganzen, an dem auch "
        "die Senke einen hat. Was die Tokens bekommen, ergibt zusammen weniger als 1, und fast nichts, wo die Senke "
        "weit über allen Scores liegt."
    ),
    "What the encoder passes on.": "Was der Encoder weitergibt.",
    "The sub-layer's output added to its input: nothing is lost.": (
        "Die Ausgabe der Teilschicht, zu ihrer Eingabe addiert: Nichts geht verloren."
    ),
    "A sub-layer need only learn what to change, and where it has nothing to say the vector passes unharmed. The "
    "sum also hands every gradient back undiminished, so that even the first of many layers can learn.": (
        "Eine Teilschicht muss nur lernen, was zu ändern ist, und wo sie nichts zu sagen hat, kommt der Vektor "
        "unversehrt durch. Die Summe gibt auch jeden Gradienten unvermindert zurück, sodass selbst die erste von "
        "vielen Schichten lernen kann."
    ),
    "The outputs of both sub-layers added to what they have read.": (
        "Die Ausgaben beider Teilschichten, zu dem addiert, was sie gelesen haben."
    ),
    "Attention and feed-forward network that read the same can be calculated at the same time, and their large "
    "products as one. Trained at scale, such layers lose little or nothing.": (
        "Attention und Feedforward-Netz, die dasselbe lesen, lassen sich gleichzeitig berechnen, und ihre großen "
        "Produkte als eines. Im Großen trainiert, verlieren solche Schichten wenig oder nichts."
    ),
    "Training needs to know of every number in which direction the loss falls. The chain rule gives that "
    "backwards, step by step: each turns the gradient of its result into those of its inputs, and nothing is "
    "calculated twice.": (
        "Das Training muss von jeder Zahl wissen, in welcher Richtung der Verlust fällt. Die Kettenregel sagt es "
        "rückwärts, Schritt für Schritt: Jeder macht aus dem Gradienten seines Ergebnisses die seiner Eingaben, und "
        "nichts wird zweimal berechnet."
    ),
    "In a product each factor counts as much as the other one is large. So the gradient of one factor is the gradient "
    "of the result times the other factor: one more matrix product, the way there walked backwards.": (
        "In einem Produkt zählt jeder Faktor so viel, wie der andere groß ist. Also ist der Gradient des einen Faktors "
        "der des Ergebnisses mal der andere Faktor: noch ein Matrixprodukt, der Hinweg rückwärts gegangen."
    ),
    "One matrix serves all rows, and every row wants it changed in its own way. Each says so by its gradient, the "
    "louder the larger its own number was; the product adds up what all of them say.": (
        "Eine Matrix dient allen Zeilen, und jede Zeile will sie auf ihre Weise geändert haben. Jede sagt es durch "
        "ihren Gradienten, umso lauter, je größer ihre eigene Zahl war; das Produkt zählt zusammen, was alle sagen."
    ),
    "What is added changes the result by just as much, so it gets the gradient of the result as it is. It was added to "
    "every row, so it gets that of every row, added up.": (
        "Was addiert wird, ändert das Ergebnis um ebenso viel, also bekommt es dessen Gradienten, wie er ist. Es wurde "
        "zu jeder Zeile addiert, also bekommt es den jeder Zeile, zusammengezählt."
    ),
    "A small change of a number comes through an activation as steeply as the curve is there. Where a relu has made a "
    "0 of it, nothing comes through, and nothing comes back.": (
        "Eine kleine Änderung einer Zahl kommt so steil durch die Aktivierung, wie die Kurve dort ist. Wo ein ReLU "
        "eine 0 daraus gemacht hat, kommt nichts durch und nichts zurück."
    ),
    "Every norm forgets how large a vector is, and a layer norm also its mean. So a change in these ways changes "
    "nothing behind it: they are taken out of the gradient, and what is left is divided by the scale as the vector "
    "was.": (
        "Jede Normierung vergisst, wie groß ein Vektor ist, eine Layer-Norm auch seinen Mittelwert. Also ändert eine "
        "Änderung dieser Art dahinter nichts: Sie wird aus dem Gradienten herausgenommen, und der Rest wird durch das "
        "Maß geteilt wie der Vektor."
    ),
    "The weights of a row are shares of one whole: who gains takes it from the others. So only how far a gradient is "
    "above or below the row's average counts, and where a weight is nearly 0 or 1, hardly anything comes back.": (
        "Die Gewichte einer Zeile sind Anteile an einem Ganzen: Wer gewinnt, nimmt es den anderen. Also zählt nur, wie "
        "weit ein Gradient über oder unter dem Durchschnitt der Zeile liegt, und wo ein Gewicht fast 0 oder 1 ist, "
        "kommt kaum etwas zurück."
    ),
    "What is multiplied or divided by a number has that much more or less influence. So its gradient is multiplied or "
    "divided by the same number.": (
        "Was mit einer Zahl malgenommen oder durch sie geteilt wird, hat um so viel mehr oder weniger Einfluss. Also "
        "wird sein Gradient mit derselben Zahl malgenommen oder durch sie geteilt."
    ),
    "What is hidden, or not chosen, had no say in the result, whatever it was. So it has no part in the loss either, "
    "and its gradient is 0.": (
        "Was verdeckt oder nicht gewählt ist, hatte beim Ergebnis nichts zu sagen, was immer es war. Also hat es auch "
        "am Verlust keinen Anteil, und sein Gradient ist 0."
    ),
    "Only the rows that were looked up had a part in the loss. One that was looked up twice gets the gradients of both "
    "places, one that never was gets none.": (
        "Nur die nachgeschlagenen Zeilen hatten am Verlust Anteil. Eine, die zweimal nachgeschlagen wurde, bekommt die "
        "Gradienten beider Stellen, eine, die es nie wurde, keinen."
    ),
    "A value that is used in several places influences the loss in several ways. What comes back through each of them "
    "is added up.": (
        "Ein Wert, der an mehreren Stellen verwendet wird, beeinflusst den Verlust auf mehreren Wegen. Was auf jedem "
        "von ihnen zurückkommt, wird zusammengezählt."
    ),
    "A value that is used in several places influences the loss in several ways. The way through each user is "
    "found by itself, and their sum is the whole gradient.": (
        "Ein Wert, der an mehreren Stellen verwendet wird, beeinflusst den Verlust auf mehreren Wegen. Der Weg durch "
        "jede Verwendung wird für sich bestimmt, und die Summe ist der ganze Gradient."
    ),
    "Softmax and norms are gone back through in one step, which is shorter than through each of their parts. This "
    "is what that step needs, and what several of its numbers share.": (
        "Durch Softmax und Normen geht es in einem Schritt zurück, das ist kürzer als durch jedes ihrer Teile. Dies "
        "ist, was dieser Schritt braucht und was mehrere seiner Zahlen gemeinsam haben."
    ),
    "One unlucky step with a huge gradient can undo what many have learned. A limit on the length of all gradients "
    "together keeps every step small, and leaves its direction as it is.": (
        "Ein einziger unglücklicher Schritt mit riesigem Gradienten kann zunichtemachen, was viele gelernt haben. Eine "
        "Grenze für die Länge aller Gradienten zusammen hält jeden Schritt klein und lässt seine Richtung, wie sie ist."
    ),
    "The sum of the squares of each gradient's numbers.": "Die Summe der Quadrate der Zahlen jedes Gradienten.",
    "How long all gradients together are.": "Wie lang alle Gradienten zusammen sind.",
    "1 where the norm is small enough; else what makes it so.": (
        "1, wo die Norm klein genug ist; sonst, was sie dazu macht."
    ),
    "The last prediction of each pass: what the model has generated.": (
        "Die letzte Vorhersage jedes Durchlaufs: was das Modell erzeugt hat."
    ),
    "The model predicts one word at a time. Each becomes part of the input for the next, so that what is written "
    "later fits what was written before; a wrong word is carried on in the same way.": (
        "Das Modell sagt ein Wort auf einmal vorher. Jedes wird Teil der Eingabe für das nächste, damit das Spätere "
        "zum Früheren passt; ein falsches Wort wird ebenso weitergetragen."
    ),
    "The logarithm of how likely each word is to come next.": (
        "Der Logarithmus davon, wie wahrscheinlich jedes Wort als nächstes kommt."
    ),
    "A text is as likely as the product of the probabilities of its words, which soon is a number too small to "
    "write. Logarithms turn the product into a sum; the likelier text still has the larger one.": (
        "Ein Text ist so wahrscheinlich wie das Produkt der Wahrscheinlichkeiten seiner Wörter; das wird bald zu klein "
        "zum Aufschreiben. Logarithmen machen daraus eine Summe; der wahrscheinlichere Text hat noch immer die größere."
    ),
    "The hypothesis' total so far, and what each word would add to it.": (
        "Die Summe der Hypothese bisher, und was jedes Wort dazu brächte."
    ),
    "Each word that could follow makes a hypothesis of its own. Its total is the logarithm of the probability of "
    "the whole text, so that hypotheses of different beams can be compared.": (
        "Jedes Wort, das folgen könnte, macht eine eigene Hypothese. Ihre Summe ist der Logarithmus der "
        "Wahrscheinlichkeit des ganzen Textes; so lassen sich Hypothesen verschiedener Beams vergleichen."
    ),
    "What a total is divided by where a hypothesis ends here.": (
        "Wodurch eine Summe geteilt wird, wenn eine Hypothese hier endet."
    ),
    "Every word makes a text less likely, so that the short ones would always win. Divided by a number that grows "
    "with the length, long and short texts become comparable.": (
        "Jedes Wort macht einen Text unwahrscheinlicher; so gewännen immer die kurzen. Geteilt durch eine Zahl, die "
        "mit der Länge wächst, werden lange und kurze Texte vergleichbar."
    ),
    "The largest totals of all beams: beam, token and total.": (
        "Die größten Summen aller Beams: Beam, Token und Summe."
    ),
    "Of all words after all hypotheses only the best are looked at again. There are twice as many as beams: even "
    "if half of them end here, as many as before can go on.": (
        "Von allen Wörtern hinter allen Hypothesen werden nur die besten weiter betrachtet. Es sind doppelt so viele "
        "wie Beams: Selbst wenn die Hälfte hier endet, können so viele weitergehen wie zuvor."
    ),
    "The best that have ended: in which pass, of which beam, with which token, and the score.": (
        "Die besten, die beendet sind: in welchem Durchlauf, von welchem Beam, mit welchem Token, und ihre Wertung."
    ),
    "A hypothesis that ends is not the answer yet: one that goes on may overtake it. So it is put aside with its "
    "total divided by the length penalty, and competes with those that end later.": (
        "Eine Hypothese, die endet, ist noch nicht die Antwort: Eine, die weitergeht, kann sie überholen. Darum wird "
        "sie mit ihrer Summe, geteilt durch die Längenstrafe, beiseitegelegt und misst sich mit späteren."
    ),
    "The best candidates that do not end: each is a beam of the next pass.": (
        "Die besten Kandidaten, die nicht enden: Jeder ist ein Beam des nächsten Durchlaufs."
    ),
    "The likeliest next word need not begin the likeliest text. A few hypotheses are kept alive, so that one that "
    "begins worse can still turn out better; all others are given up.": (
        "Das wahrscheinlichste nächste Wort muss nicht den wahrscheinlichsten Text beginnen. Einige Hypothesen bleiben "
        "im Spiel, damit sich eine, die schlechter beginnt, noch als besser erweisen kann; alle anderen entfallen."
    ),
    "The words of the finished hypothesis with the best score, and how likely each was.": (
        "Die Wörter der beendeten Hypothese mit der besten Wertung, und wie wahrscheinlich jedes war."
    ),
    "The answer is read backwards. The best finished hypothesis names its last word and its beam, the beam names "
    "the word before and the beam that it came from, until the first word.": (
        "Die Antwort liest man rückwärts. Die beste beendete Hypothese nennt ihr letztes Wort und ihren Beam, der Beam "
        "das Wort davor und den Beam, aus dem er kam, bis zum ersten Wort."
    ),
    "The gradient points to where the loss rises most steeply, so a step against it lowers the loss. The step has "
    "to be small, because the gradient is that of this point only: a little further on it is another.": (
        "Der Gradient zeigt dorthin, wo der Verlust am steilsten steigt; also senkt ein Schritt dagegen den Verlust. "
        "Der Schritt muss klein sein, weil der Gradient nur an dieser Stelle gilt: Ein wenig weiter ist er ein anderer."
    ),
    "In a narrow valley of the loss, gradients point from side to side and hardly along it. Added up over the "
    "steps, what points to and fro cancels, and what always points the same way grows.": (
        "In einem engen Tal des Verlusts zeigen Gradienten von einer Seite zur anderen und kaum das Tal entlang. Über "
        "die Schritte addiert, hebt sich auf, was hin und her zeigt, und was immer gleich zeigt, wächst."
    ),
    "The gradient of a single step is noisy. Its running mean keeps what the steps agree on, and forgets slowly "
    "what they do not.": (
        "Der Gradient eines einzelnen Schritts ist verrauscht. Sein laufendes Mittel behält, worin die Schritte "
        "übereinstimmen, und vergisst allmählich, worin nicht."
    ),
    "Some parameters get large gradients and some small ones. The running mean of the squares says how large those "
    "of each number usually are, so that all can move by about as much.": (
        "Manche Parameter bekommen große Gradienten, manche kleine. Das laufende Mittel der Quadrate sagt, wie groß "
        "die jeder Zahl üblicherweise sind, damit sich alle etwa gleich weit bewegen können."
    ),
    "Both moments begin at 0, and the first steps pull them up only part of the way. Divided by the weight that "
    "has been given out so far, they are means from the first step on.": (
        "Beide Momente beginnen bei 0, und die ersten Schritte ziehen sie nur ein Stück weit hoch. Durch das bisher "
        "vergebene Gewicht geteilt, sind sie vom ersten Schritt an Mittelwerte."
    ),
    "The mean gradient measured in its own usual size: about 1 where the steps agree, near 0 where they cancel. So "
    "one learning rate suits every parameter.": (
        "Der mittlere Gradient, an seiner eigenen üblichen Größe gemessen: etwa 1, wo die Schritte übereinstimmen, "
        "nahe 0, wo sie sich aufheben. So passt eine Lernrate für alle Parameter."
    ),
    "A weight that nothing needs should fade. Decayed apart from the gradient, all weights fade alike; as a part "
    "of it, the second moment would divide it away.": (
        "Ein Gewicht, das nichts braucht, soll verblassen. Vom Gradienten getrennt verkleinert, verblassen alle "
        "Gewichte gleich; als Teil von ihm würde es das zweite Moment wieder wegteilen."
    ),
    "The logits of the words that may be drawn; all others are −∞.": (
        "Die Logits der Wörter, die gezogen werden können; alle anderen sind −∞."
    ),
    "Each of the many unlikely words is nearly impossible, but together they are drawn often, and one of them can "
    "spoil a text. Keeping the few likeliest leaves variety without that risk; −∞ becomes a probability of 0.": (
        "Jedes der vielen unwahrscheinlichen Wörter ist fast unmöglich, aber zusammen werden sie oft gezogen, und "
        "eines davon kann einen Text verderben. Nur die wenigen wahrscheinlichsten zu behalten, lässt Abwechslung ohne "
        "diese Gefahr; aus −∞ wird die Wahrscheinlichkeit 0."
    ),
    "A fixed number of words is too few in one place and too many in another. Keeping the likeliest ones until "
    "they hold a share of the probability adapts to how sure the model is; −∞ becomes a probability of 0.": (
        "Eine feste Zahl von Wörtern ist an einer Stelle zu klein und an einer anderen zu groß. Die wahrscheinlichsten "
        "zu behalten, bis sie einen Anteil der Wahrscheinlichkeit haben, richtet sich danach, wie sicher das Modell "
        "ist; aus −∞ wird die Wahrscheinlichkeit 0."
    ),
    "The logits that top_k keeps; all others are −∞.": "Die Logits, die top_k behält; alle anderen sind −∞.",
    "Each of the many unlikely words is nearly impossible, but together they are drawn often. The number of words "
    "is limited first, and their probabilities afterwards.": (
        "Jedes der vielen unwahrscheinlichen Wörter ist fast unmöglich, aber zusammen werden sie oft gezogen. Zuerst "
        "wird die Zahl der Wörter begrenzt, danach ihre Wahrscheinlichkeiten."
    ),
    "The probabilities that top_p chooses from.": "Die Wahrscheinlichkeiten, unter denen top_p auswählt.",
    "How many words make sense depends on the place: after “New York” few, after “the” many. To keep as many as a "
    "share of the probability asks for, the probabilities have to be known before.": (
        "Wie viele Wörter sinnvoll sind, hängt von der Stelle ab: nach „New York“ wenige, nach „the“ viele. Um so "
        "viele zu behalten, wie ein Anteil der Wahrscheinlichkeit verlangt, müssen die Wahrscheinlichkeiten vorher "
        "bekannt sein."
    ),
    "The probabilities of the words that may be drawn.": (
        "Die Wahrscheinlichkeiten der Wörter, die gezogen werden können."
    ),
    "What was hidden leaves its share to the others. The words that are left become shares of a whole again, in "
    "the same proportion to each other as before.": (
        "Was verdeckt wurde, überlässt seinen Anteil den anderen. Die übrigen Wörter werden wieder zu Anteilen an "
        "einem Ganzen, im selben Verhältnis zueinander wie vorher."
    ),
    "Each word's probability added to those of the words before it.": (
        "Die Wahrscheinlichkeit jedes Wortes, zu denen der Wörter davor addiert."
    ),
    "Laid end to end, the probabilities fill the line from 0 to 1, each word as long as it is likely. A point "
    "dropped anywhere on the line then falls into a word as often as it should.": (
        "Aneinandergelegt füllen die Wahrscheinlichkeiten die Strecke von 0 bis 1, jedes Wort so lang, wie es "
        "wahrscheinlich ist. Ein Punkt, der irgendwo auf die Strecke fällt, trifft dann ein Wort so oft, wie er soll."
    ),
    "A number between 0 and 1, drawn at random.": "Eine Zahl zwischen 0 und 1, zufällig gezogen.",
    "The first word whose cumulative probability exceeds the draw.": (
        "Das erste Wort, dessen laufende Summe über der gezogenen Zahl liegt."
    ),
    "A random number that is equally likely anywhere between 0 and 1 falls into the stretch of a word exactly as "
    "often as the word is probable. So one number, drawn by a coin, a die or a computer, is enough to choose.": (
        "Eine Zufallszahl, die überall zwischen 0 und 1 gleich wahrscheinlich ist, fällt genau so oft in das Stück "
        "eines Wortes, wie das Wort wahrscheinlich ist. So genügt zum Wählen eine Zahl, gezogen mit einer Münze, einem "
        "Würfel oder einem Computer."
    ),
    "What the update of this step is multiplied by.": "Womit die Änderung dieses Schritts multipliziert wird.",
    "At first the gradients point anywhere and large steps do harm; later the loss is in a valley and large steps "
    "leap over its floor. So the rate rises for a while and falls from then on.": (
        "Anfangs zeigen die Gradienten irgendwohin, und große Schritte schaden; später liegt der Verlust in einem Tal, "
        "und große Schritte springen über dessen Grund hinweg. Darum steigt die Rate eine Weile und fällt von da an."
    ),
    "How surprised the model is by the right word: −ln of its probability.": (
        "Wie überrascht das Modell vom richtigen Wort ist: −ln seiner Wahrscheinlichkeit."
    ),
    "A certain and right answer should cost nothing, a certain and wrong one very much. −ln does that, and it "
    "turns the product of the probabilities of a whole text into a sum, which has simple gradients.": (
        "Eine sichere und richtige Antwort soll nichts kosten, eine sichere und falsche sehr viel. −ln leistet das und "
        "macht aus dem Produkt der Wahrscheinlichkeiten eines ganzen Textes eine Summe, die einfache Gradienten hat."
    ),
    "Nearly all of each target to the right word, and a little to every word.": (
        "Fast alles von jedem Ziel dem richtigen Wort, und ein wenig jedem Wort."
    ),
    "A probability of 1 would need infinitely large logits, and a model that chases it becomes too sure of itself. "
    "Spread over all words, a small share of the target gives the logits a size at which they may stop.": (
        "Eine Wahrscheinlichkeit von 1 brauchte unendlich große Logits, und ein Modell, das ihr nachjagt, wird seiner "
        "zu sicher. Ein kleiner Anteil des Ziels, über alle Wörter verteilt, gibt den Logits eine Größe, bei der sie "
        "stehen bleiben können."
    ),
    "How surprised the model is by the smoothed targets: −ln of all probabilities, weighted by them.": (
        "Wie überrascht das Modell von den geglätteten Zielwerten ist: −ln aller Wahrscheinlichkeiten, mit ihnen "
        "gewichtet."
    ),
    "The sum of the losses of the examples of this step.": "Die Summe der Verluste der Beispiele dieses Schritts.",
    "The sum of the losses of all positions that have a target.": (
        "Die Summe der Verluste aller Positionen, die ein Ziel haben."
    ),
    "The probability of a text is the product of those of its words; logarithms make it a sum. One number is "
    "needed, because only of one number can it be said that it is to become smaller.": (
        "Die Wahrscheinlichkeit eines Textes ist das Produkt derer seiner Wörter; Logarithmen machen daraus eine "
        "Summe. Gebraucht wird eine einzige Zahl, denn nur von einer lässt sich sagen, dass sie kleiner werden soll."
    ),
    "The average loss of the positions that have a target.": (
        "Der durchschnittliche Verlust der Positionen, die ein Ziel haben."
    ),
    "One number is needed, because only of one number can it be said that it is to become smaller. The mean does "
    "not grow with the length of the text, so that one learning rate suits them all.": (
        "Gebraucht wird eine einzige Zahl, denn nur von einer lässt sich sagen, dass sie kleiner werden soll. Das "
        "Mittel wächst nicht mit der Länge des Textes; so passt eine Lernrate für alle."
    ),
    "The average over positions that have a target.": "Der Durchschnitt über die Positionen, die ein Ziel haben.",
    "The loss is made for gradients; what a person wants to know is how sure the model has become of the right "
    "words. It should rise as the loss falls, though a mean of probabilities need not follow a mean of logarithms "
    "at every step.": (
        "Der Verlust ist für Gradienten gemacht; ein Mensch will wissen, wie sicher sich das Modell der richtigen "
        "Wörter geworden ist. Das sollte steigen, wenn der Verlust fällt, auch wenn ein Mittel von "
        "Wahrscheinlichkeiten nicht in jedem Schritt einem Mittel von Logarithmen folgt."
    ),
    "The largest absolute value in any parameter's gradient.": (
        "Der größte Betrag im Gradienten irgendeines Parameters."
    ),
    "When training stands still, the gradients say why: near zero everywhere, it has arrived or is stuck on a "
    "plateau; very large, the next update overshoots. The largest of them is the one to watch.": (
        "Wenn das Training stillsteht, sagen die Gradienten, warum: Überall nahe null, ist es angekommen oder steckt "
        "auf einem Plateau fest; sehr groß, schießt die nächste Änderung über das Ziel hinaus. Der größte ist der, auf "
        "den zu achten ist."
    ),
    "The way back begins here. Softmax and −ln undo each other's curves, so that of both together the gradient is "
    "the plainest there is: the probability, less 1 for the right word. What is predicted rightly has nothing to "
    "correct.": (
        "Hier beginnt der Rückweg. Softmax und −ln heben ihre Krümmungen gegenseitig auf, sodass der Gradient beider "
        "zusammen der einfachste ist, den es gibt: die Wahrscheinlichkeit, minus 1 beim richtigen Wort. Was richtig "
        "vorhergesagt ist, hat nichts zu berichtigen."
    ),
    "Loss, probability of the right word and largest gradient of each step.": (
        "Verlust, Wahrscheinlichkeit des richtigen Wortes und größter Gradient jedes Schritts."
    ),
    "A single step says little: a loss may rise once and fall for long. One row for each step shows whether the "
    "learning rate suits, and when nothing more is learned.": (
        "Ein einzelner Schritt sagt wenig: Ein Verlust kann einmal steigen und lange fallen. Eine Zeile je Schritt "
        "zeigt, ob die Lernrate passt und wann nichts mehr dazugelernt wird."
    ),
    "Learned: turns the input into queries.": "Gelernt: macht aus der Eingabe Anfragen.",
    "Learned: turns the input into keys.": "Gelernt: macht aus der Eingabe Schlüssel.",
    "Learned: turns the input into values.": "Gelernt: macht aus der Eingabe Werte.",
    "Learned: projects what the heads found back to d_model.": (
        "Gelernt: bringt, was die Köpfe gefunden haben, zurück auf die Breite d_model."
    ),
    "Learned: how the features are combined.": "Gelernt: wie die Merkmale kombiniert werden.",
    "Learned: added to every row of the product.": "Gelernt: wird zu jeder Zeile des Produkts addiert.",
    "Learned: how strongly each feature supports each word.": "Gelernt: wie sehr jedes Merkmal für jedes Wort spricht.",
    "Learned: how likely each word is, whatever comes before it.": (
        "Gelernt: wie wahrscheinlich jedes Wort ist, was auch davor steht."
    ),
    "The probabilities, minus 1 at the right word.": "Die Wahrscheinlichkeiten, minus 1 beim richtigen Wort.",
    "The old values minus the learning rate times their gradient.": "Die alten Werte minus Lernrate mal Gradient.",
    "Learned: how well each expert suits a token.": "Gelernt: wie gut jeder Experte zu einem Token passt.",
    "The learned scale of each feature.": "Der gelernte Maßstab jedes Merkmals.",
    "The learned shift of each feature.": "Die gelernte Verschiebung jedes Merkmals.",
    "Learned: how the gate is computed from the input.": "Gelernt: wie das Tor aus der Eingabe berechnet wird.",
    "Learned: a number for each bucket and each head.": "Gelernt: eine Zahl für jede Abstandsklasse und jeden Kopf.",
    "What is added to each score of this head: a learned number for the distance of the two tokens.": (
        "Was zu jedem Score dieses Kopfes addiert wird: eine gelernte Zahl für den Abstand der beiden Tokens."
    ),
    "Added to the scores, it raises or lowers what a distance counts for before the softmax. Each head has its own "
    "column, so that one may look at neighbours and another far away.": (
        "Zu den Scores addiert, hebt oder senkt es vor dem Softmax, was ein Abstand zählt. Jeder Kopf hat seine eigene "
        "Spalte, sodass einer auf Nachbarn und ein anderer weit weg sehen kann."
    ),
    "Learned: the score of a place that is no token and has no value.": (
        "Gelernt: der Score einer Stelle, die kein Token ist und keinen Wert hat."
    ),
    "Learned: how steep the tanh is.": "Gelernt: wie steil der tanh ist.",
    "How the loss changes with each number of {path}, through this example.": (
        "Wie sich der Verlust mit jeder Zahl von {path} durch dieses Beispiel ändert."
    ),
    "How the loss changes with each number of {path}.": "Wie sich der Verlust mit jeder Zahl von {path} ändert.",
    "The part of the gradient that flows back through {path}.": (
        "Der Teil des Gradienten, der durch {path} zurückfließt."
    ),
    "The gradient times the clipping factor.": "Der Gradient mal Begrenzungsfaktor.",
    "The probabilities, minus the smoothed targets.": "Die Wahrscheinlichkeiten minus die geglätteten Zielwerte.",
    "The old values minus the learning rate times their velocity.": "Die alten Werte minus Lernrate mal Schwung.",
    "The old values minus the learning rate times their direction.": "Die alten Werte minus Lernrate mal Richtung.",
    "What is left of the velocity of the step before, and the gradient.": (
        "Was vom Schwung des Schritts davor bleibt, und der Gradient."
    ),
    "The old values, a little smaller: 1 minus the learning rate times the weight decay of each is left.": (
        "Die alten Werte, ein wenig kleiner: Von jedem bleibt 1 minus Lernrate mal Gewichtsabnahme."
    ),
    "A running mean of the gradient: what is left of that of the step before, and a share of this one's.": (
        "Ein laufendes Mittel des Gradienten: was von dem des Schritts davor bleibt, und ein Anteil von diesem."
    ),
    "A running mean of the squares of the gradient: what is left of that of the step before, and a share of this "
    "one's.": (
        "Ein laufendes Mittel der Quadrate des Gradienten: was von dem des Schritts davor bleibt, und ein Anteil von "
        "diesem."
    ),
    "Divided by the weight of all steps so far, since the mean began at 0.": (
        "Geteilt durch das Gewicht aller bisherigen Schritte, weil das Mittel bei 0 begann."
    ),
    "The first moment, divided by the root of the second.": "Das erste Moment, geteilt durch die Wurzel des zweiten.",
    "identity": "Einheitsmatrix",
    "ones": "Einsen",
    "zeros": "Nullen",
    "normal, std {std}, seed {seed}": "normalverteilt, Standardabweichung {std}, Startzahl {seed}",
    "xavier_uniform, seed {seed}": "Xavier-gleichverteilt, Startzahl {seed}",
    "drawn with seed {seed}": "gezogen mit Startzahl {seed}",
    "file {name}": "Datei {name}",
}

CONTROLS = {
    "Fewer decimals": "Weniger Nachkommastellen",
    "More decimals": "Mehr Nachkommastellen",
    "Decimals": "Nachkommastellen",
    "By hand": "Von Hand",
    "Off by up to {far} from the exact numbers, at {cell}.": (
        "Bis zu {far} von den genauen Zahlen entfernt, bei {cell}."
    ),
    "Light or dark": "Hell oder dunkel",
    "Keys": "Tasten",
    "Settings": "Einstellungen",
    "Lecture": "Vorlesung",
    "Quiz": "Quiz",
    "Your answer": "Deine Antwort",
    "Check": "Prüfen",
    "Uncover": "Aufdecken",
    "a word": "ein Wort",
    "1 decimal": "1 Nachkommastelle",
    "{count} decimals": "{count} Nachkommastellen",
    "{count} significant digits": "{count} gültige Ziffern",
    "and a power of ten": "und eine Zehnerpotenz",
    "Right.": "Richtig.",
    "That cannot be read as a number.": "Das ist nicht als Zahl lesbar.",
    "Not right. Try again, or uncover it.": "Nicht richtig. Versuche es noch einmal, oder decke die Zahl auf.",
    "Not right: the sign is the other one.": "Nicht richtig: Das Vorzeichen ist das andere.",
    "Not right: this is the number before the division.": "Nicht richtig: Das ist die Zahl vor der Division.",
    "Not right: two neighbouring digits are exchanged.": "Nicht richtig: Zwei benachbarte Ziffern sind vertauscht.",
    "Not right: the decimal point is elsewhere.": "Nicht richtig: Das Komma steht an anderer Stelle.",
    "Not exact enough: more decimals are wanted.": "Nicht genau genug: Mehr Nachkommastellen sind gefragt.",
    "One step in the whole window (F)": "Ein Schritt im ganzen Fenster (F)",
    "Tab": "Tab",
    "from table to table": "von Tabelle zu Tabelle",
    "Arrows": "Pfeiltasten",
    "choose a number": "eine Zahl wählen",
    "Enter": "Enter",
    "change a given number; on any other, go to what it is computed from": (
        "eine gegebene Zahl ändern; bei jeder anderen dorthin, woraus sie berechnet ist"
    ),
    "U": "U",
    "go to what uses it": "dorthin, wo sie verwendet wird",
    "P": "P",
    "pin a number in the bar": "eine Zahl in der Leiste anheften",
    "Alt+↑, Alt+↓": "Alt+↑, Alt+↓",
    "a given number more or less, with Shift by ten": "eine gegebene Zahl größer oder kleiner, mit Umschalt um zehn",
    "Ctrl+Z, Ctrl+Shift+Z": "Strg+Z, Strg+Umschalt+Z",
    "undo, redo": "rückgängig, wiederherstellen",
    "Escape": "Esc",
    "back": "zurück",
    "F": "F",
    "lecture: one step in the whole window": "Vorlesung: ein Schritt im ganzen Fenster",
    "Space, Page Down, →": "Leertaste, Bild ab, →",
    "lecture: the next row, then the next step": "Vorlesung: die nächste Zeile, dann der nächste Schritt",
    "This changes what is calculated: run {command} again.": (
        "Dies ändert, was berechnet wird: {command} noch einmal ausführen."
    ),
    "Grey numbers keep their last values.": "Graue Zahlen behalten ihre letzten Werte.",
    "It leaves out changes of numbers that are given only here: a run calculates these.": (
        "Änderungen von Zahlen, die nur hier gegeben sind, fehlen darin: Ein Lauf berechnet sie."
    ),
    "Changes: {count}": "Änderungen: {count}",
    "Copy link": "Link kopieren",
    "Link copied.": "Link kopiert.",
    "Not copied: this browser does not allow it here.": "Nicht kopiert: Dieser Browser erlaubt es hier nicht.",
    "Copy command": "Befehl kopieren",
    "Command copied.": "Befehl kopiert.",
    "Reset numbers": "Zahlen zurücksetzen",
    "Undo": "Rückgängig",
    "Redo": "Wiederherstellen",
    "Printed numbers": "Gedruckte Zahlen",
    "Pin": "Anheften",
    "Unpin": "Lösen",
    "Pass {number}": "Durchlauf {number}",
    "The likeliest words": "Die wahrscheinlichsten Wörter",
    "Play": "Abspielen",
    "Stop": "Anhalten",
    "Loss {before} → {after}": "Verlust {before} → {after}",
    "Step {step} of {count}: loss {loss}": "Schritt {step} von {count}: Verlust {loss}",
    "matrices of step {step}": "Matrizen von Schritt {step}",
    "after the last update {loss}": "nach der letzten Aktualisierung {loss}",
    "Training step": "Trainingsschritt",
    "training step": "Trainingsschritt",
    "loss at each step": "Verlust in jedem Schritt",
    "Log scale": "Logarithmisch",
    "As table": "Als Tabelle",
    "As pixels": "Als Pixel",
    "{path}: there is no such step here.": "{path}: Diesen Schritt gibt es hier nicht.",
    "Parts of the address could not be read: {faults}": "Teile der Adresse sind nicht lesbar: {faults}",
    "this cannot be set": "das lässt sich nicht setzen",
    "a change without a cell": "eine Änderung ohne Zelle",
    "Changed: {items}.": "Geändert: {items}.",
    "Calculated in {format}.": "Gerechnet in {format}.",
    "By hand, rounded to {decimals} decimals.": "Von Hand, auf {decimals} Nachkommastellen gerundet.",
    "The chosen number": "Die gewählte Zahl",
    "Previous step": "Voriger Schritt",
    "Next step": "Nächster Schritt",
    "It was {number}.": "Vorher {number}.",
    "{symbol}, row {label}": "{symbol}, Zeile {label}",
    "{symbol}, column {label}": "{symbol}, Spalte {label}",
    "Used by": "Verwendet von",
    "and {count} more": "und {count} weitere",
    "New number for {cell}": "Neue Zahl für {cell}",
    "“{text}” is not a number.": "„{text}“ ist keine Zahl.",
    "Point at a word to see where it looks.": "Auf ein Wort zeigen, um zu sehen, wohin es blickt.",
    "Leave": "Schließen",
    "Reset": "Zurücksetzen",
    "Add up ▶": "Addieren ▶",
    "{done} of {count} terms": "{done} von {count} Termen",
    "A row before and after its norm": "Eine Zeile vor und nach ihrer Norm",
    "Leave (Escape)": "Schließen (Esc)",
    "'{item}' is not a change; write CELL=NUMBER, such as 'embeddings[chai, 1]=0.5'": (
        "'{item}' ist keine Änderung; zu schreiben ist ZELLE=ZAHL, etwa 'embeddings[chai, 1]=0.5'"
    ),
    "'{item}': expected a finite number": "'{item}': eine endliche Zahl wird erwartet",
    "{path} has no cell [{labels}]": "{path} hat keine Zelle [{labels}]",
    "'{selector}' matches {count} steps: {first}, …": "'{selector}' passt zu {count} Schritten: {first}, …",
    "no step is called '{selector}'": "kein Schritt heißt '{selector}'",
    "{cell} cannot be changed: it decides what is calculated": (
        "{cell} lässt sich nicht ändern: Es entscheidet, was berechnet wird"
    ),
    "{cell} cannot be changed: it is calculated": "{cell} lässt sich nicht ändern: Es ist berechnet",
}

TEXTS = {
    "worksheet": "Arbeitsblatt",
    "key": "Lösung",
    "name": "Name",
    "scenario": "Beispiel",
    "rounding": "Nachkommastellen",
    "seed": "Startzahl",
    "digest": "Prüfwert",
    "own_numbers": "die Zahlen des Beispiels",
    "given": "Gegebene Zahlen",
    "steps": "Schritte",
    "round_all": "Runde jede Zahl kaufmännisch auf {digits}, bevor du weiterrechnest.",
    "round_each": "Runde jede Zahl kaufmännisch auf die Stellen, die ihr Schritt nennt, bevor du weiterrechnest.",
    "hand_in": "Gib jeden Schritt ab: Bewertet wird nach deinen eigenen Zahlen.",
    "side_by_side": "Hier ist nichts auszufüllen: Diese Zahlen stehen in den Schritten davor.",
    "hidden": "Ein verdeckter Score ist −∞.",
    "quiz_note": "Hier wird nicht nach deinen eigenen Zahlen bewertet: Jede Frage zeigt die, mit denen du rechnest.",
    "predicted": "Schreibe bei einer Vorhersage das Wort und seine Wahrscheinlichkeit.",
    "to_digits": "auf {digits}",
    "decimals_one": "1 Nachkommastelle",
    "decimals": "{count} Nachkommastellen",
    "whole": "ganze Zahlen",
    "significant_one": "1 gültige Ziffer",
    "significant": "{count} gültige Ziffern",
    "positions": "pos und i ab 0",
    "waves_interleaved": "ungerade Spalten sin, gerade Spalten cos",
    "waves_halves": "die erste Hälfte der Spalten sin, die zweite cos",
    "waves_tensor2tensor": "die erste Hälfte der Spalten sin, die zweite cos",
    "distances": "i ist die Zeile, j die Spalte",
    "step_function": "step ist 1 über 0, sonst 0",
    "targets": "Ziele: {targets}",
    "fill_in": "Fülle die leeren Zellen aus; die anderen sind geschützt.",
    "token": "Token",
    "probability": "Wahrscheinlichkeit",
    "beam": "Beam",
    "total": "Summe",
    "pass": "Durchlauf",
    "score": "Wertung",
    "form_help": "Tippe in die Kästchen oder drucke das Blatt. Enter geht zum nächsten Kästchen. Wenn du fertig bist, "
    "lade deine Antworten herunter und gib diese Datei ab.",
    "download": "Antworten herunterladen",
    "empty": "Alle Kästchen leeren",
    "empty_sure": "Alle Kästchen leeren? Was du getippt hast, ist dann weg.",
    "to_copy": "Deine Antworten als Text, zum Kopieren:",
    "next_box": "Weiter ↵",
    "filled": "{count} von {all} ausgefüllt",
    "marks": "Bewertung",
    "sheet": "Blatt",
    "student": "Name",
    "points": "Punkte",
    "of": "von",
    "step": "Schritt",
    "class": "Klasse",
    "right": "richtig",
    "follows": "folgerichtig",
    "wrong": "falsch",
    "missing": "fehlt",
    "unreadable": "unlesbar",
    "trivial": "trivial",
    "usual_slip": "häufigster Fehler",
    "sheets": "Blätter",
    "sheets_said": "{count} Blätter",
    "sheets_said_one": "1 Blatt",
    "average": "im Mittel {points} von {of} Punkten",
    "average_share": "{share} % der Punkte",
    "slips": "Fehler",
    "share": "Anteil der Punkte",
    "count_of": "{count} von {of}",
    "points_of": "{points} von {of} Punkten",
    "all_fine": "Alles ist richtig.",
    "right_said": "{count} von {all} Zahlen sind richtig.",
    "right_said_one": "1 von {all} Zahlen ist richtig.",
    "none_right": "Keine Zahl ist richtig.",
    "cells_all": "alle",
    "cells_more": "{count} weitere",
    "row": "Zeilen {labels}",
    "row_one": "Zeile {labels}",
    "column": "Spalten {labels}",
    "column_one": "Spalte {labels}",
    "you_wrote": "du hast {answer} geschrieben",
    "unreadable_said": "{cell}: „{answer}“ ist {why}.",
    "follows_said": "{count} folgen aus deinen eigenen Zahlen: volle Punkte.",
    "follows_said_one": "1 folgt aus deinen eigenen Zahlen: volle Punkte.",
    "trivial_said": "{count} machten nach den falschen Zahlen davor keine Arbeit und geben keine Punkte.",
    "trivial_said_one": "1 machte nach den falschen Zahlen davor keine Arbeit und gibt keine Punkte.",
    "missing_said": "{count} Zahlen fehlen.",
    "missing_said_one": "1 Zahl fehlt.",
    "more": "… und {count} weitere; --format markdown oder --feedback zeigt alle.",
    "cells_wrong": "{count} Zellen falsch",
    "cells_wrong_one": "1 Zelle falsch",
    "lost": "{count} Punkte verloren",
    "lost_one": "1 Punkt verloren",
    "written_for": "{answer} für {line}",
    "first": "Zuerst: {said}",
    "joined": "Derselbe Fehler zeigt sich in {step} ({cells} Zellen) und zählt einmal.",
    "asked_for": "{digits} verlangt",
    "line": "Zeile",
    "ignored": "gehört zu keiner Zelle des Blatts",
    "lines_unknown": "{count} unbekannte Zeilen",
    "lines_unknown_one": "1 unbekannte Zeile",
    "not_read": "nicht lesbar",
    "not_handed_in": "{steps} nicht abgegeben",
    "altered": "auf dem Blatt geändert",
    "altered_cell": "{steps}: Dort steht {found}, gegeben war {given}",
    "altered_numbers": "Die gegebenen Zahlen sind nicht die, mit denen das Blatt gemacht wurde",
    "altered_lost": "{steps}: Die Zellen sind nicht zu finden, weil ihr Name in der Arbeitsmappe fehlt",
    "altered_seed": "Die Startzahl ist {found}, erwartet wird {given}",
    "unreadable_text": "weder eine Zahl noch ein Bruch",
    "unreadable_calculation": "eine Rechnung, die nicht ausgerechnet ist",
    "unreadable_word": "weder eine Zahl noch ein Wort",
    "unreadable_date": "ein Datum, das eine Tabellenkalkulation aus 1/3 macht: Schreibe eine Dezimalzahl oder Text",
    "unreadable_two": "zwei verschiedene Zahlen für eine Zelle: {one} und {other}",
    "unreadable_error": "ein Fehler der Tabellenkalkulation",
    "unreadable_too_long": "zu lang für eine Zahl",
    "unreadable_formula": "eine Formel ohne Wert: in einer Tabellenkalkulation öffnen und dort speichern",
    "ask": "{cell} auf {digits}?",
    "ask_word": "{cell}: welches Wort?",
    "yes": "Richtig.",
    "yes_follows": "Mit deinen eigenen Zahlen richtig.",
    "no": "Nein. Noch einmal; ? zeigt die Formel, mit einer leeren Zeile geht es weiter.",
    "not_a_number": "Das lässt sich nicht lesen: Es ist {why}.",
    "answer_is": "Es ist {number}.",
    "skipped": "Weiter.",
    "given_for": "Gegeben: {name}",
    "help": "? Formel · ?? mit den Zahlen · ! die Antwort · n nächster Schritt · q Ende · leere Zeile: nächste Zahl",
    "check": "Prüfen",
    "hint_formula": "Formel",
    "hint_numbers": "Mit Zahlen",
    "hint_show": "Antwort",
    "hint_next": "Nächste Zahl",
    "hint_step": "Nächster Schritt",
    "result": "{right} von {asked} richtig, {first} beim ersten Versuch, in {time}.",
    "nothing_asked": "Keine Frage wurde beantwortet.",
    "repeat": "Zum Wiederholen: {steps}.",
    "well": "Nichts zu wiederholen.",
    "seconds": "{count} s",
    "minutes": "{minutes} min {seconds} s",
    "source": "Quelle",
    "changed": "Mit anderen Zahlen: {items}.",
    "hypotheses": "Behaltene Hypothesen: jedes Wort mit seiner Summe, = Wertung, wo eine endete, ← die Antwort",
    "changed_steps": "Schritte, die dadurch anders sind, mit der größten Änderung:",
    "changed_nothing": "Keine Zahl ist dadurch anders.",
    "changed_most": "größte Änderung",
    "changed_from_to": "vorher → nachher",
    "changed_new": "Vorher nicht da oder von anderer Form: {count}.",
    "changed_prediction": "Vorhersage an der letzten Position, vorher → nachher",
    "before": "vorher",
    "full_precision": "Mit voller Genauigkeit gerechnet, auf {digits} gezeigt: Die letzten Ziffern können abweichen.",
    "by_hand": "Von Hand: Jeder Schritt wird auf {digits} gerundet, bevor der nächste damit rechnet.",
    "by_hand_as_said": "Von Hand: Jeder Schritt wird gerundet, wie das Szenario sagt, bevor der nächste damit rechnet.",
    "by_hand_nowhere": "Von Hand: Kein Schritt wird gerundet, bevor der nächste damit rechnet.",
    "in_format": "In {format}: Jede Zahl, auch jede gegebene, wird darauf gerundet, bevor mit ihr gerechnet wird; "
    "auf {digits} gezeigt.",
    "stored": "{bits} = {number}, aus {before}",
    "continued": "{title} (Fortsetzung)",
    "is_given": "gegeben",
    "matrix_is_given": "{symbol} ist gegeben",
    "given_path": "gegeben: {path}",
    "computed_from": "Berechnet aus",
    "used_by": "Verwendet von",
    "same_done_in": "Ebenso berechnet werden",
    "and_more": "… und {count} weitere",
    "see_above": "siehe oben",
    "exactly": "Genau",
    "why": "Warum",
    "steps_of": "Schritte von {title}",
    "rows": "{count} Zeilen",
    "rows_one": "1 Zeile",
    "columns": "{count} Spalten",
    "columns_one": "1 Spalte",
    "unchanged": "{count} Zeilen wie im Durchlauf davor",
    "unchanged_one": "1 Zeile wie im Durchlauf davor",
    "and": "und",
    "not_shown": "{hidden} nicht gezeigt",
    "full_shows_all": "--full zeigt alles",
    "breakdown": "Hier bricht die Rechnung zusammen (Division durch null oder Überlauf); was daraus berechnet wird, "
    "ist nicht definiert.",
    "drift": "Abweichung: {said}.",
    "drift_beyond": "{found} ab {cell}, statt {right}",
    "drift_none": "keine",
    "drift_most": "bis zu {most}, wo {cell} {found} statt {right} ist",
    "drift_word": "ohne Runden ergibt {label} {word}",
    "map_of_steps": "Plan: {count} Schritte",
    "map_of_steps_one": "Plan: 1 Schritt",
    "map_of_some": "Plan: {count} von {all} Schritten",
    "cache_saves": "Multiplikationen mit Cache (ohne)",
    "together": "zusammen {count} ({without})",
    "from_to": "{first} bis {last}",
    "repeats_part": "wie {part}",
    "repeats_part_otherwise": "die Schritte von {part} mit anderen Größen",
    "count_steps": "{count} Schritte",
    "count_steps_one": "1 Schritt",
    "steps_from_to": "{count} von {first} bis {last}",
    "single_steps": "Einzelne Schritte: {command}",
    "many_tables": "{count} Tabellen",
    "many_tables_help": "einige nach Pfad oder Wörtern daraus wählen, alle drucken oder die Pfade auflisten",
    "notebook_how": (
        "Dies braucht nur numpy. Von oben nach unten ausführen: Jeder Schritt zeigt seine Zahlen; die letzte Zelle "
        "vergleicht alle."
    ),
    "notebook_many": '{count} Schritte: trace.select("scores") gibt einige, trace["ein Pfad"] einen.',
    "same_numbers": "Dieselben Zahlen",
    "same_numbers_said": "Jede Matrix unter ihrem Pfad, und die Zahlen, wie sie aufgezeichnet wurden.",
    "is_taken": "wie aufgezeichnet übernommen",
    "taken_as_given": "hier als gegeben übernommen",
    "exchanged": "Zeilen und Spalten vertauscht",
    "whole_model": "Ganzes Modell",
    "published": "veröffentlicht:",
    "changes_what": "dies ändert, was berechnet wird: siehe das erste Blatt",
    "too_long": "graue Zahlen sind Konstanten: ihre Formel ist länger, als eine Tabellenkalkulation erlaubt",
    "book_calculates": "Diese Arbeitsmappe rechnet",
    "book_change": "Ändere eine Zahl in einer Zelle, die aussieht wie die erste hier: Alles, was daraus folgt, ändert "
    "sich.",
    "book_given": "eine gegebene Zahl, die geändert werden kann",
    "book_fixed": "eine Nummer oder eine Maske: Sie entscheidet, was berechnet wird; zu ändern im Szenario",
    "book_number": "berechnet: Die Zelle hat ihre Formel",
    "book_left_out": "Einige Schritte sind weggelassen. Woraus die anderen berechnet werden, steht als Zahlen da.",
    "book_hidden": "−∞ ist die Zahl −1E+300, als −∞ gezeigt. Eine unbekannte Zahl ist #N/A (#NV), und ebenso, was von "
    "ihr abhängt.",
    "book_names": "Jeder Block von Zahlen hat seinen Pfad als Namen: Ins Namenfeld getippt, führt er dorthin. Wo eine "
    "Tabellenkalkulation einen Pfad als Zelladresse lesen würde oder ein Zeichen nicht erlaubt, steht _ davor oder an "
    "seiner Stelle.",
    "book_published": "Veröffentlichte Zahlen stehen rechts von den berechneten:",
    "book_full_precision": "Jede Zahl ist mit voller Genauigkeit berechnet; was gezeigt wird, ist gerundet.",
    "book_by_hand": (
        "Von Hand: Jede Zahl wird gerundet, bevor der nächste Schritt mit ihr rechnet, kaufmännisch, auf so viele "
        "Nachkommastellen:"
    ),
    "book_decimals": "Nachkommastellen",
    "book_decimals_except": "Nachkommastellen, außer bei Schritten mit eigener Rundung",
    "book_decisive": (
        "Das gewählte Wort entscheidet, was danach berechnet wird. Wo eine geänderte Zahl ein anderes Wort wählen "
        "würde, sagt es die Arbeitsmappe unter diesem Schritt und rechnet mit dem gewählten Wort weiter."
    ),
    "book_anew": "Der Exponentialwert einer Zahl über 709 ist hier ein Fehler; das Programm zieht erst die größte Zahl "
    "der Zeile ab. Um im Programm mit einer anderen Zahl zu rechnen:",
    "book_where": "Wo Zahlen geändert werden können",
    "book_more": "und {count} weitere, auf den Blättern ihrer Teile",
    "book_sheets": "Blätter",
    "verdict_exact": "exakt",
    "verdict_rounding": "Rundung",
    "verdict_inherited": "Folgefehler",
    "verdict_wrong": "falsch",
    "verdict_unjudged": "nicht beurteilt",
    "means_exact": "richtig auf die gedruckten Stellen",
    "means_rounding": "weicht ab, ist aber mit gerundeten Zwischenwerten erreichbar",
    "means_inherited": "folgt aus einer früheren falschen Zahl",
    "means_wrong": "aus den Zahlen, aus denen sie berechnet wurde, nicht erreichbar",
    "means_unjudged": "nicht zu beurteilen: Der richtige Wert ist keine Zahl",
    "more_about": "Mehr dazu",
    "what_to_do": (
        "Auf eine Zahl zeigen, um zu sehen, woher sie kommt. Eine gegebene ändern, um zu sehen, was sie bewirkt."
    ),
    "skip_map": "Plan überspringen",
    "kept_steps": "Von den {steps} Trainingsschritten enthält diese Seite {count}: {named} und {last}. "
    "Die Parameter eines jeden sind hier als gegeben übernommen: Eine Änderung wirkt innerhalb ihres Schritts.",
    "only_some": "Nur einige Schritte sind gezeigt. Hier als gegeben übernommen, ohne die Schritte davor: {links}.",
    "map_of_model": "Plan des Modells",
    "likeliest": "Die wahrscheinlichsten Wörter",
    "printed_numbers": "Gedruckte Zahlen: {said}",
    "line_printed": "{line}, gedruckt {printed}",
    "cell_printed": "{cell} gedruckt {printed}, richtig ist {right}",
    "printed_said": "Gedruckt {printed}, richtig {right}: {verdict}.",
    "picture_poster": "das ganze Modell mit seinen Matrizen, auf A3",
    "picture_heat": "Matrizen mit ihren Ziffern",
    "picture_arcs": "wohin Wörter blicken: Attention-Gewichte",
    "picture_curve": "der Verlust eines Trainings",
    "picture_equation": "ein berechneter Schritt aus Operanden und Ergebnis",
    "the_model": "Das Modell",
    "loss_of_training": "Der Verlust des Trainings",
    "words_added": "Die Wörter des Textes und die, die das Modell anfügt",
    "training_step": "Trainingsschritt",
    "loss": "Verlust",
}

MISTAKES: dict[str, str | tuple[str, str]] = {
    "not_scaled": "Vermutlich nicht durch {divisor} geteilt.",
    "scaled_by_d_k": "Vermutlich durch {size} statt durch {divisor} geteilt.",
    "multiplied_by_root": "Vermutlich mit {divisor} multipliziert statt dadurch geteilt.",
    "wrong_root": "Vermutlich durch √{width:g} geteilt.",
    "not_divided.by": "Vermutlich nicht durch {divisor} geteilt.",
    "multiplied": "Vermutlich mit {divisor} multipliziert statt dadurch geteilt.",
    "divided_by_root": "Vermutlich durch √{divisor} statt durch {divisor} geteilt.",
    "base_2": "Vermutlich 2^x statt e^x.",
    "residual": "Vermutlich das Residuum nicht addiert: {one} fehlt.",
    "exchanged.part": "Vermutlich mit {cell} verwechselt.",
    "percent": (
        "Vermutlich Prozent statt eines Anteils.",
        "Vermutlich Prozent statt eines Anteils: mit diesen Zahlen wäre {number} richtig.",
    ),
    "truncated": "Vermutlich Ziffern abgeschnitten statt gerundet.",
    "dropped": "Vermutlich ein Produkt der Summe ausgelassen.",
    "not_divided.rows": "Vermutlich nicht durch die Zahl für die Zeile geteilt.",
    "mixed_up.columns": "Vermutlich Zeilen und Spalten verwechselt: Es wurden die Spalten summiert.",
    "not_masked": "Vermutlich nicht maskiert.",
    "mask": (
        "Vermutlich anders maskiert als gegeben.",
        "Vermutlich anders maskiert als gegeben: Zeilen und Spalten der Maske verwechselt.",
    ),
    "transposed": "Vermutlich transponiert.",
    "mixed_up": (
        "Vermutlich Zeile oder Spalte verwechselt.",
        "Vermutlich Zeile oder Spalte verwechselt: Das ist die Zahl von {cell}.",
    ),
    "sign": (
        "Vermutlich das Vorzeichen.",
        "Vermutlich das Vorzeichen: mit diesen Zahlen wäre {number} richtig.",
    ),
    "swapped": (
        "Vermutlich ein Zahlendreher.",
        "Vermutlich ein Zahlendreher: mit diesen Zahlen wäre {number} richtig.",
    ),
    "point": (
        "Vermutlich das Komma.",
        "Vermutlich das Komma: mit diesen Zahlen wäre {number} richtig.",
    ),
    "divided_already": "Vermutlich schon in diesem Schritt durch {divisor} geteilt.",
    "mask.window": (
        "Vermutlich anders maskiert als gegeben.",
        "Vermutlich anders maskiert als gegeben: Das Fenster ist zu breit oder zu schmal.",
    ),
    "softmax_all": "Vermutlich Softmax über die ganze Matrix.",
    "not_divided.d": "Vermutlich nicht durch d geteilt.",
    "no_root": "Vermutlich die Wurzel vergessen.",
    "mean_subtracted": "Vermutlich den Mittelwert abgezogen.",
    "gamma": "Vermutlich Gamma oder Beta vergessen oder anders verwendet.",
    "exchanged": "Vermutlich {one} und {other} vertauscht.",
    "activation": "Vermutlich eine andere Aktivierung oder an anderer Stelle.",
    "exchanged.head": "Vermutlich die Schlüssel oder Werte eines anderen Kopfes.",
    "positions": "Vermutlich die Positionen ab 1 statt ab 0 gezählt.",
    "layout": "Vermutlich andere Merkmale zu Paaren verbunden.",
    "angles": "Vermutlich andere Winkel.",
    "no_minus": "Vermutlich bei der Drehung ein Minuszeichen vergessen.",
    "rotated_back": "Vermutlich in die andere Richtung gedreht.",
    "not_rotated": "Vermutlich nicht um die Winkel gedreht.",
    "rotated_too": "Vermutlich um die Winkel gedreht, obwohl hier nicht gedreht wird.",
    "norm.place": "Vermutlich an anderer Stelle normiert.",
    "distance_added": "Vermutlich den Abstand addiert statt subtrahiert.",
    "slope": "Vermutlich eine andere Steigung.",
    "softmax_heads": "Vermutlich Softmax über die Köpfe statt über die Zeilen.",
    "norm": "Vermutlich die Normierung vergessen.",
    "exchanged.state": "Vermutlich aus {other} statt aus {one} berechnet.",
    "exchanged.weights": "Vermutlich mit anderen Gewichten berechnet.",
    "mean": "Vermutlich den Mittelwert nicht abgezogen.",
    "mixed_up.rows": (
        "Vermutlich Zeilen oder Spalten verwechselt.",
        "Vermutlich Zeilen oder Spalten verwechselt: Es wurden andere Zeilen der Tabelle nachgeschlagen.",
    ),
    "mixed_up.heads": "Vermutlich Zeilen oder Spalten zwischen den Köpfen verwechselt.",
    "masked_late": "Vermutlich nach dem Softmax maskiert statt davor.",
    "hidden_zero": "Vermutlich 0 statt −∞, wo ein Score verdeckt ist.",
    "bias": "Vermutlich den Bias vergessen.",
    "added_twice": "Vermutlich {one} zweimal addiert.",
    "not_added": "Vermutlich {one} nicht addiert.",
    "left_out": "Vermutlich {one} weggelassen.",
    "added": "Vermutlich addiert statt multipliziert.",
    "softmax_columns": "Vermutlich Softmax über die Spalten statt über die Zeilen.",
    "sample_variance": "Vermutlich die Stichprobenvarianz (÷ (d − 1)) statt der Varianz der Gesamtheit (÷ d).",
    "population_variance": "Vermutlich die Varianz der Gesamtheit (÷ d) statt der Stichprobenvarianz (÷ (d − 1)).",
    "epsilon": "Vermutlich Epsilon vergessen oder an anderer Stelle addiert.",
    "early": "Vermutlich zu früh gerundet.",
    "fewer": "Vermutlich auf weniger Stellen gerundet als verlangt.",
    "copied": (
        "Vermutlich aus einer anderen Zelle abgeschrieben.",
        "Vermutlich aus einer anderen Zelle abgeschrieben: {cell}.",
    ),
}
