import { pythonRegex } from '../../../../base/python/python-regex.js'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { oneSpace, withoutBrackets, withoutMarks } from './basic.js'
import { britishSpellings } from './british-spellings.js'
import { normaliseNumbers } from './numbers.js'

/**
 * Normalises an English transcript: lower case, no bracketed text, no fillers, American spelling. Contractions and
 * titles are expanded, and numbers are written in digits with their signs (`$`, `%`). It does not trim.
 *
 * Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision" (2022), appendix C;
 * openai-whisper 20250625, `normalizers/english.py`, EnglishTextNormalizer.
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
/** Matches a comma between digits. */
const comma = pythonRegex('(\\d),(\\d)', 'g')
/** Matches a full stop that no digit follows. */
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

/** Expansions of word endings. The perfect tenses come first, because `'s` and `'d` mean other words elsewhere. */
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
 * Replaces British spellings by American ones. Words must be separated by single spaces.
 *
 * Source: openai-whisper 20250625, `normalizers/english.py`, EnglishSpellingNormalizer.
 */
export const normaliseSpelling = (text: string): string =>
  splitWhiteSpace(text)
    .map(word => american.get(word) ?? word)
    .join(' ')
