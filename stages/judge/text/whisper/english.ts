import { pythonRegex } from '../../../../base/python/python-regex.js'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { oneSpace, withoutBrackets, withoutMarks } from './basic.js'
import { britishSpellings } from './british-spellings.js'
import { normaliseNumbers } from './numbers.js'

/**
 * An English transcript in the form in which it is compared: in small letters, without what stands in brackets and without
 * fillers, contractions and titles in full, numbers in digits with their signs (`$`, `%`), spelling American. It does not trim.
 *
 * Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision" (2022), appendix C; openai-whisper
 * 20250625, `normalizers/english.py`, EnglishTextNormalizer.
 */
export function normaliseEnglish(text: string): string {
  let line = withoutBrackets(text.toLowerCase()).replace(fillers, '').replace(spacedApostrophe, "'")
  for (const { form, pattern, full } of shortForms) if (line.includes(form)) line = line.replace(pattern, full)
  line = line.replace(comma, '$1$2').replace(fullStop, ' $1')
  line = normaliseSpelling(normaliseNumbers(withoutMarks(line, '.%$¢€£')))
  return oneSpace(line.replace(/[.$¢€£]([^0-9])/gu, ' $1').replace(/([^0-9])%/gu, '$1 '))
}

const fillers = pythonRegex('\\b(hmm|mm|mhm|mmm|uh|um)\\b', 'g')
const spacedApostrophe = pythonRegex("(?<!\\s)\\s+'", 'g')
/** Between digits. */
const comma = pythonRegex('(\\d),(\\d)', 'g')
/** Where no number goes on. */
const fullStop = pythonRegex('\\.([^0-9]|$)', 'g')

const words: Readonly<Record<string, string>> = {
  "won't": 'will not',
  "can't": 'can not',
  "let's": 'let us',
  "ain't": 'aint',
  "y'all": 'you all',
  wanna: 'want to',
  gotta: 'got to',
  gonna: 'going to',
  "i'ma": 'i am going to',
  imma: 'i am going to',
  woulda: 'would have',
  coulda: 'could have',
  shoulda: 'should have',
  "ma'am": 'madam',
  mr: 'mister ',
  mrs: 'missus ',
  st: 'saint ',
  dr: 'doctor ',
  prof: 'professor ',
  capt: 'captain ',
  gov: 'governor ',
  ald: 'alderman ',
  gen: 'general ',
  sen: 'senator ',
  rep: 'representative ',
  pres: 'president ',
  rev: 'reverend ',
  hon: 'honorable ',
  asst: 'assistant ',
  assoc: 'associate ',
  lt: 'lieutenant ',
  col: 'colonel ',
  jr: 'junior ',
  sr: 'senior ',
  esq: 'esquire ',
}

/** Ends of words; the perfect tenses come before what `'s` and `'d` are taken for elsewhere. */
const endings: Readonly<Record<string, string>> = {
  "'d been": ' had been',
  "'s been": ' has been',
  "'d gone": ' had gone',
  "'s gone": ' has gone',
  "'d done": ' had done',
  "'s got": ' has got',
  "n't": ' not',
  "'re": ' are',
  "'s": ' is',
  "'d": ' would',
  "'ll": ' will',
  "'t": ' not',
  "'ve": ' have',
  "'m": ' am',
}

const shortForms = [
  ...Object.entries(words).map(([form, full]) => ({ form, full, pattern: pythonRegex(`\\b${form}\\b`, 'g') })),
  ...Object.entries(endings).map(([form, full]) => ({ form, full, pattern: pythonRegex(`${form}\\b`, 'g') })),
]

const american: ReadonlyMap<string, string> = new Map(
  splitWhiteSpace(britishSpellings).map(pair => {
    const [british = '', inAmerica = ''] = pair.split(':')
    return [british, inAmerica]
  }),
)

/**
 * British spellings as American ones, word by word; words are set apart by single spaces.
 *
 * Source: openai-whisper 20250625, `normalizers/english.py`, EnglishSpellingNormalizer.
 */
export const normaliseSpelling = (text: string): string =>
  splitWhiteSpace(text)
    .map(word => american.get(word) ?? word)
    .join(' ')
