/** Reads the rating that a judge model's reply gives, by its announcement and its scale. */
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { readNumberWords } from '../numbers/number-words.js'
import { toNumber } from '../numbers/rational.js'
import { placeNumbers, plainNumbers, type PlacedNumber } from '../numbers/read-numbers.js'
import { findBound, findJoint } from '../text/value-claims/bounds.js'
import { isValueDenied } from '../text/value-claims/denials.js'

/** The lowest and the highest rating. */
type Scale = readonly [low: number, high: number]

const names = [
  'score|rating|grade|mark|points?|stars?|rate|rated|evaluation|assessment|quality',
  'bewertung|note|punktzahl|punkte|wertung|note|évaluation|notation|puntuaci[oó]n|calificaci[oó]n|puntaje|nota|pontuação|avaliação|classificação',
  'punteggio|valutazione|voto|оценка|балл\\p{L}*|рейтинг|оцінка|ocena|wynik|punktacja|beoordeling|cijfer|betyg|poäng|puan|not|skor|nilai|penilaian|điểm(?: số)?|đánh giá|βαθμολογία',
  'التقييم|تقييم|الدرجة|درجة|النتيجة|ציון|דירוג|स्कोर|अंक|रेटिंग|मूल्यांकन|คะแนน|การให้คะแนน',
  '评分|得分|分数|打分|评级|总分|評分|得點|スコア|評価|点数|採点|得点|점수|평점|평가|등급',
].join('|')

/** The overall rating goes before those of single criteria. */
const overall =
  'overall|final|total|my|the|gesamt\\p{L}*|global|finale?|general|total|итогов\\p{L}*|общ\\p{L}*|总体?|總|最终|総合|최종|전체|종합'

const label = new RegExp(
  `(?<![\\p{L}\\p{N}])(?<overall>(?:${overall})\\s*)?(?:(?:${names})(?:\\s(?:is|of|would be|ist|lautet|est|es|é|è|to|är|:)(?!\\p{L}))?)[\\s"'*_\`)\\]]*(?:[:：=]|是|为|為|は|은|는|이|—|–|->|→)?[\\s"'*_\`([{<>|:]*$`,
  'iu',
)
const wholeLabel = new RegExp(
  `(?:^|\\n)[\\s*_#>-]*(?:overall|gesamt|total|итого|总体|総合|종합)[\\s*_]*[:：=][\\s*_([]*$`,
  'iu',
)
const gives =
  /(?<!\p{L})(?:give|gave|giving|rate|rated|rating|score|assign(?:ed)?|award(?:ed)?|deserves?|gebe|vergebe|donne|attribue|doy|otorgo|dou|do|ставлю|daję|geef|打|给)(?!\p{Ll})[^.!?\n\d]{0,40}$/iu
const outOf = /^[\s*_]{0,3}(?:\/|(?:out\s+)?of|von|sur|de|su|из|na|van|av|üzerinden|dari|trên|من|में से|จาก)[\s*_]{0,3}$/iu
const unit = /^[\s*_]{0,3}(?:points?|pts?|stars?|punkte|points?|puntos|pontos|punti|балл\p{L}*|点|點|分|점|คะแนน)/iu

/** A number of a reply that may be the rating, and how well it is announced. */
interface Candidate {
  readonly value: number
  /** 3 for the overall rating, 2 for an announced one, 1 for one with its scale, 0 for a mere number. */
  readonly rank: number
}

/**
 * The rating of a reply within its scale; undefined if there is none, if it is out of the scale, or if several
 * different ratings are given. The property of a JSON object, an announced number (`Score: 7`, 评分：7) and one with its scale
 * (`7/10`, `7 out of 10`, `70%`) are read in the midst of other words. A number alone must be the whole reply, or
 * end it. A rating on another scale is converted if the scale begins at 0 or both begin alike: 4/5 is 8 of 10.
 */
export function readRating(reply: string, scale: Scale): number | undefined {
  const text = reply.slice(-longest)
  const inJson = readJsonRating(text)
  if (inJson !== undefined) return within(inJson, scale)
  const plain = plainNumbers(text)
  const numbers = placeNumbers(plain)
  const candidates = numbers.flatMap((_, index) => readCandidate(plain, { numbers, index, scale }) ?? [])
  const rank = candidates.reduce((most, candidate) => Math.max(most, candidate.rank), 0)
  if (rank > 0)
    return onlyValue(
      candidates.filter(candidate => candidate.rank === rank),
      scale,
    )
  if (numbers.length === 0) return within(toOptionalNumber(text), scale)
  const isBare = /^[\s"'*_`([{<|]*[-+]?[\d.,]+[\s"'*_`)\]}>|.!]*$/.test(plain)
  return isBare ? onlyValue(candidates, scale) : undefined
}

/** A longer reply is read at its end. */
const longest = 20_000

const toOptionalNumber = (text: string): number | undefined => {
  const words = readNumberWords(text)
  return words === undefined ? undefined : toNumber(words)
}

const within = (value: number | undefined, [low, high]: Scale): number | undefined =>
  value !== undefined && value >= low && value <= high ? value : undefined

/** The value of the ratings if all are equal. Several different ones are none. */
function onlyValue(candidates: readonly Candidate[], scale: Scale): number | undefined {
  const values = new Set(candidates.map(({ value }) => value))
  const [first] = values
  return values.size === 1 ? within(first, scale) : undefined
}

interface Written {
  readonly value: number
  /** The scale that is written behind the rating: 10 in `7/10`. */
  readonly of: number | undefined
  readonly isPercent: boolean
}

function readWritten(text: string, { written, value, end }: PlacedNumber): Written | undefined {
  const [, top, of] = /^([-+]?[\d.]+)\s?\/\s?(\d+)$/.exec(written) ?? []
  if (top !== undefined) return { value: Number(top), of: Number(of), isPercent: false }
  const isPercent = /^\s?\\?%/.test(text.slice(end, end + 3))
  return value === undefined ? undefined : { value: toNumber(value), of: undefined, isPercent }
}

/** The rating on the scale that was asked for; NaN if it does not fit. */
function convert({ value, of, isPercent }: Written, [low, high]: Scale): number {
  if (isPercent) return low === 0 && Number.isFinite(high) ? (value / 100) * high : Number.NaN
  if (of === undefined || of === high || !Number.isFinite(high)) return value
  return value <= of && of > 0 ? (value / of) * high : Number.NaN
}

interface Place {
  readonly numbers: readonly PlacedNumber[]
  readonly index: number
  readonly scale: Scale
}

function readCandidate(text: string, { numbers, index, scale }: Place): Candidate | undefined {
  const [before, number, next] = [numbers[index - 1], numbers[index], numbers[index + 1]]
  const written = number && readWritten(text, number)
  if (number === undefined || written === undefined) return undefined
  if (isValueDenied(text, number) || findBound(text, number) !== 'none') return undefined
  const [gapBefore, gapBehind] = [
    before && text.slice(before.end, number.start).slice(0, 40),
    next && text.slice(number.end, next.start).slice(0, 40),
  ]
  // The 10 of "7 out of 10" and the ends of a range are none.
  if (gapBefore !== undefined && (outOf.test(gapBefore) || findJoint(gapBefore, '') !== undefined)) return undefined
  const isOf = gapBehind !== undefined && outOf.test(gapBehind)
  if (gapBehind !== undefined && !isOf && findJoint(gapBehind, '') !== undefined) return undefined
  const of = isOf && next !== undefined ? readWritten(text, next)?.value : written.of
  const value = convert({ ...written, of }, scale)
  return { value, rank: rankNumber(text, number, of !== undefined || written.isPercent) }
}

function rankNumber(text: string, { start, end }: PlacedNumber, hasScale: boolean): number {
  const ahead = text.slice(Math.max(0, start - 60), start)
  const found = label.exec(ahead)
  if (found?.groups?.['overall'] !== undefined || wholeLabel.test(ahead)) return 3
  if (found !== null || gives.test(ahead)) return 2
  return hasScale || unit.test(text.slice(end, end + 12)) ? 1 : 0
}

const keys = new RegExp(`^(?:(?:${overall})[_ -]?)?(?:${names})$`, 'iu')

/** The rating in the last JSON object of a reply, which text may surround; undefined if there is none. */
function readJsonRating(text: string): number | undefined {
  const data = parseLastObject(text)
  if (data === undefined) return undefined
  const found = Object.entries(data).filter(([key]) => keys.test(key))
  const values = found.flatMap(([, value]) => toRating(value) ?? [])
  return values.length === 1 ? values[0] : undefined
}

const toRating = (value: Json | undefined): number | undefined =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value)
      ? Number(value)
      : undefined

function parseLastObject(text: string): { readonly [key: string]: Json } | undefined {
  const end = text.lastIndexOf('}')
  for (const start of [text.lastIndexOf('{', end), text.indexOf('{')]) {
    if (start < 0 || end < start) continue
    try {
      const data = JSON.parse(text.slice(start, end + 1)) as Json
      if (isObject(data)) return data as { readonly [key: string]: Json }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return undefined
}
