/** Words of grammar, which say little of what an answer says: NLTK's of English, of 2018. */
export const stopWords: ReadonlySet<string> = new Set(
  [
    "i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his himself she she's",
    "her hers herself it it's its itself they them their theirs themselves what which who whom this that that'll these those am is",
    'are was were be been being have has had having do does did doing a an the and but if or because as until while to from of at for',
    'with about into through during again further then here there when where why how all any each most other some such only own so',
    "than too very s t can will just don don't should should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't",
    "doesn doesn't hadn hadn't hasn hasn't haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn",
    "shouldn't wasn wasn't weren weren't won won't wouldn wouldn't",
  ]
    .join(' ')
    .split(' '),
)
