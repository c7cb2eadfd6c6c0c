/**
 * The stem of an English word, in lower case: `relational` becomes `relat`.
 *
 * Source: Porter, "An algorithm for suffix stripping" (1980), in the default mode of NLTK 3.10.4. That mode adds
 * irregular forms, `ies` and `ied` after one letter, `y` after a consonant, `bli`, `fulli` and `logi`.
 */
export function porterStem(word: string): string {
  const small = word.toLowerCase()
  const irregular = irregularForms.get(small)
  if (irregular !== undefined) return irregular
  return word.length <= 2 ? small : steps.reduce((stem, step) => step(stem), small)
}

const irregularForms = new Map([
  ...['sky', 'news', 'howe', 'proceed', 'exceed', 'succeed', 'inning', 'outing', 'canning'].map(
    word => [word, word] as const,
  ),
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['innings', 'inning'],
  ['outings', 'outing'],
  ['cannings', 'canning'],
])

/** A suffix, its replacement, and a condition on the stem. */
type Replacement = readonly [suffix: string, replacement: string, when?: (stem: string) => boolean]

/**
 * Replaces the first suffix that the word has. If its condition fails, the word is not changed, and later suffixes
 * are not tried.
 */
function replaceSuffix(word: string, replacements: readonly Replacement[]): string {
  for (const [suffix, replacement, when] of replacements) {
    if (!word.endsWith(suffix)) continue
    const stem = word.slice(0, word.length - suffix.length)
    return when === undefined || when(stem) ? stem + replacement : word
  }
  return word
}

/** Writes `c` for each consonant and `v` for each vowel. `y` is a vowel after a consonant. */
function describeShape(word: string): string {
  let shape = ''
  for (const character of word) {
    const isVowel = 'aeiou'.includes(character) || (character === 'y' && shape.endsWith('c'))
    shape += isVowel ? 'v' : 'c'
  }
  return shape
}

/** The number of times that a consonant follows a vowel. */
const measure = (stem: string): number => describeShape(stem).split('vc').length - 1

const isMeasured = (stem: string): boolean => measure(stem) > 0
const isLong = (stem: string): boolean => measure(stem) > 1
const hasVowel = (stem: string): boolean => describeShape(stem).includes('v')
const endsInConsonant = (stem: string): boolean => describeShape(stem).endsWith('c')

const endsInTwin = (word: string): boolean => /(.)\1$/u.test(word) && endsInConsonant(word)

/** Returns whether the word ends in a short syllable, such as `hop`, which may have lost an `e`. */
function endsShort(word: string): boolean {
  const shape = describeShape(word)
  return (shape.endsWith('cvc') && !/[wxy]$/.test(word)) || shape === 'vc'
}

function plural(word: string): string {
  if (word.length === 4 && word.endsWith('ies')) return word.slice(0, -1)
  return replaceSuffix(word, [
    ['sses', 'ss'],
    ['ies', 'i'],
    ['ss', 'ss'],
    ['s', ''],
  ])
}

function pastAndGerund(word: string): string {
  if (word.endsWith('ied')) return word.slice(0, word.length === 4 ? -1 : -2)
  if (word.endsWith('eed')) return replaceSuffix(word, [['eed', 'ee', isMeasured]])
  const stem = replaceSuffix(word, [
    ['ed', '', hasVowel],
    ['ing', '', hasVowel],
  ])
  return stem === word ? word : mendStem(stem)
}

function mendStem(stem: string): string {
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`
  if (endsInTwin(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

const finalY = (word: string): string =>
  replaceSuffix(word, [['y', 'i', stem => stem.length > 1 && endsInConsonant(stem)]])

const ifMeasured = (pairs: string): readonly Replacement[] =>
  pairs.split(' ').map(pair => {
    const [suffix = '', replacement = ''] = pair.split('>')
    return [suffix, replacement, isMeasured]
  })

const doubleSuffixes: readonly Replacement[] = [
  ...ifMeasured(
    'ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize ation>ate ' +
      'ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble fulli>ful',
  ),
  ['logi', 'log', stem => isMeasured(`${stem}l`)],
]

function doubleSuffix(word: string): string {
  const shorter = word.endsWith('alli') ? replaceSuffix(word, doubleSuffixes) : word
  return shorter === word ? replaceSuffix(word, doubleSuffixes) : doubleSuffix(shorter)
}

const adjectiveSuffixes = ifMeasured('icate>ic ative> alize>al iciti>ic ical>ic ful> ness>')

const longSuffixes: readonly Replacement[] = [
  ...'al ance ence er ic able ible ant ement ment ent'.split(' ').map((suffix): Replacement => [suffix, '', isLong]),
  ['ion', '', stem => isLong(stem) && /[st]$/.test(stem)],
  ...'ou ism ate iti ous ive ize'.split(' ').map((suffix): Replacement => [suffix, '', isLong]),
]

function finalE(word: string): string {
  return replaceSuffix(word, [['e', '', stem => isLong(stem) || (measure(stem) === 1 && !endsShort(stem))]])
}

const finalDoubleL = (word: string): string => replaceSuffix(word, [['ll', 'l', stem => isLong(`${stem}l`)]])

const steps = [
  plural,
  pastAndGerund,
  finalY,
  doubleSuffix,
  (word: string): string => replaceSuffix(word, adjectiveSuffixes),
  (word: string): string => replaceSuffix(word, longSuffixes),
  finalE,
  finalDoubleL,
]
