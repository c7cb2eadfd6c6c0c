import { isUpper } from '../../../base/python/python-text.js'
import { pythonRandom, type PythonRandom } from '../../../base/python/python-random.js'
import { readData } from '../data-file.js'

const trials = 7
const longestTrial = 1000
const isSure = 0.99999
const leastProbability = 0.1
const smoothing = { mean: 0.5, deviation: 0.05, base: 10_000 }

/**
 * Detects the language of a text as a code of langdetect (`en`, `zh-cn`, …). It is `unknown` if no language has a
 * probability above 0.1, and undefined if the text has no usable letters.
 *
 * A naive Bayesian classifier samples random n-grams until it is certain, seven times. The random numbers use the
 * seed 0, so that a text always has the same language. The reference is random unless it gets a seed.
 *
 * Source: langdetect 1.0.9, a port of Nakatani Shuyo's language-detection (2010), with `DetectorFactory.seed = 0`.
 */
export function detectLanguage(text: string): string | undefined {
  const profiles = languageProfiles()
  const grams = listNgrams(text, profiles)
  if (grams.length === 0) return undefined
  const random = pythonRandom(0)
  const mean = profiles.languages.map(() => 0)
  for (let i = 0; i < trials; i++)
    for (const [language, probability] of trial(grams, profiles, random).entries())
      mean[language] = (mean[language] ?? 0) + probability / trials
  const best = mean.reduce((most, probability, language) => (probability > (mean[most] ?? 0) ? language : most), 0)
  return (mean[best] ?? 0) > leastProbability ? profiles.languages[best] : 'unknown'
}

function trial(grams: readonly string[], profiles: LanguageProfiles, random: PythonRandom): Float64Array {
  const probabilities = new Float64Array(profiles.languages.length).fill(1 / profiles.languages.length)
  const weight = (smoothing.mean + random.gauss() * smoothing.deviation) / smoothing.base
  const factors = new Float64Array(probabilities.length).fill(weight)
  for (let i = 0; ; i++) {
    const shares = profiles.sharesOf(grams[random.below(grams.length)] ?? '') ?? []
    for (const [language, share] of shares) factors[language] = weight + share
    for (let language = 0; language < factors.length; language++)
      probabilities[language] = (probabilities[language] ?? 0) * (factors[language] ?? 0)
    for (const [language] of shares) factors[language] = weight
    if (i % 5 === 0 && (normalise(probabilities) > isSure || i >= longestTrial)) return probabilities
  }
}

/** Scales the probabilities to the sum 1, and returns the largest. */
function normalise(probabilities: Float64Array): number {
  let sum = 0
  for (let language = 0; language < probabilities.length; language++) sum += probabilities[language] ?? 0
  let most = 0
  for (let language = 0; language < probabilities.length; language++) {
    const share = (probabilities[language] ?? 0) / sum
    probabilities[language] = share
    if (share > most) most = share
  }
  return most
}

const address = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g
const mail = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g
const vietnamese = /[AEIOUYaeiouyÂÊÔâêôĂăƠơƯư][\u0323\u0300\u0301\u0303\u0309]/g
/** The maximum number of characters that are read. */
const longest = 10_000

/**
 * The n-grams of one to three characters within the words of a text, in order, if a language has them. Web and mail
 * addresses, words in capitals, and Latin words in mostly non-Latin text are left out.
 */
function listNgrams(text: string, profiles: LanguageProfiles): readonly string[] {
  const ngrams: string[] = []
  let gram = [' ']
  let isCapitals = false
  for (const character of cleanText(text)) {
    const next = plain(character, profiles)
    const last = gram.at(-1) ?? ' '
    if (last === ' ') {
      gram = [' ']
      isCapitals = false
    } else if (gram.length >= 3) gram = gram.slice(1)
    if (last !== ' ' || next !== ' ') {
      gram.push(next)
      isCapitals = isUpper(next) && (isCapitals || isUpper(last))
    }
    if (isCapitals) continue
    for (let length = 1; length <= gram.length; length++) {
      const part = gram.slice(-length).join('')
      if (part !== ' ' && profiles.sharesOf(part) !== undefined) ngrams.push(part)
    }
  }
  return ngrams
}

function cleanText(text: string): readonly string[] {
  const bare = text
    .replace(address, ' ')
    .replace(mail, ' ')
    .replace(vietnamese, pair => pair.normalize('NFC'))
  const characters = Array.from(bare)
    .slice(0, longest)
    .filter((character, index, allCharacters) => character !== ' ' || allCharacters[index - 1] !== ' ')
  const latin = characters.filter(isLatin).length
  const foreign = characters.filter(character => character >= '\u0300' && !/[\u1e00-\u1eff]/.test(character)).length
  return latin * 2 < foreign ? characters.filter(character => !isLatin(character)) : characters
}

const isLatin = (character: string): boolean => /^[A-z]$/.test(character)

/** Replaces a character by the representative of its class. Characters of a class tell the same about the language. */
function plain(character: string, { kanji }: LanguageProfiles): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return /[A-Za-z]/.test(character) ? character : ' '
  if (/[\xa0«°»\u2000-\u206f]/.test(character)) return ' '
  if (character === '\u0219') return '\u015f'
  if (character === '\u021b') return '\u0163'
  if (character === '\u06cc') return '\u064a'
  if (code >= 0x1ea0 && code <= 0x1eff) return '\u1ec3'
  if (code >= 0x3040 && code <= 0x309f) return '\u3042'
  if (code >= 0x30a0 && code <= 0x30ff) return '\u30a2'
  if ((code >= 0x3100 && code <= 0x312f) || (code >= 0x31a0 && code <= 0x31bf)) return '\u3105'
  if (code >= 0xac00 && code <= 0xd7af) return '\uac00'
  return kanji.get(character) ?? character
}

/** The frequencies of n-grams of up to three characters in each language. */
interface LanguageProfiles {
  readonly languages: readonly string[]
  /**
   * The indexes of the languages that have an n-gram, with its share of all n-grams of that length; undefined if no
   * language has it.
   */
  sharesOf(gram: string): readonly (readonly [language: number, share: number])[] | undefined
  /** Maps each Chinese character to the representative of its class of similar frequency. */
  readonly kanji: ReadonlyMap<string, string>
}

interface Tables {
  readonly languages: readonly {
    readonly name: string
    readonly totals: readonly number[]
    /** All n-grams concatenated, one text for each length. */
    readonly grams: readonly string[]
    readonly counts: readonly (readonly number[])[]
  }[]
  readonly kanji: readonly string[]
}

const file = {
  name: 'language-profiles',
  digest: '7acacedf9dd4d5a4dc8be26e794ab85ad0d4f8612e0e940592016ac11cc4543e',
}

let cachedProfiles: LanguageProfiles | undefined

/** The profiles of langdetect 1.0.9 for 55 languages, computed from Wikipedia's texts. They are read once. */
function languageProfiles(): LanguageProfiles {
  cachedProfiles ??= arrange(readData(file) as Tables)
  return cachedProfiles
}

function arrange({ languages, kanji }: Tables): LanguageProfiles {
  const shares = new Map<string, [number, number][]>()
  for (const [language, { totals, grams, counts }] of languages.entries())
    for (const [index, allGrams] of grams.entries()) {
      const length = index + 1
      for (const [at, count] of (counts[index] ?? []).entries()) {
        const gram = allGrams.slice(at * length, (at + 1) * length)
        const entry: [number, number] = [language, count / (totals[index] ?? 1)]
        const gramShares = shares.get(gram)
        if (gramShares === undefined) shares.set(gram, [entry])
        else gramShares.push(entry)
      }
    }
  return {
    languages: languages.map(({ name }) => name),
    sharesOf: gram => shares.get(gram),
    kanji: new Map(kanji.flatMap(group => Array.from(group, character => [character, group.charAt(0)] as const))),
  }
}
