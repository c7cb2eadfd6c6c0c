/** Reads the rating that a judge model's reply gives, by its announcement and its scale. */
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { readNumberWords } from '../numbers/number-words.js'
import { toNumber } from '../numbers/rational.js'
import { placeNumbers, plainNumbers, type PlacedNumber } from '../numbers/read-numbers.js'
import { findBound, findJoint } from '../text/value-claims/bounds.js'
import { isValueDenied } from '../text/value-claims/denials.js'
import { isValueSupposed } from '../text/value-claims/suppositions.js'
import { countStars, negates, plainReply, takesBack, withoutDenial } from './rating-forms.js'

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
  `(?:^|\\n)[\\s*_#>|-]*(?:overall|gesamt|total|итого|总体|総合|종합)[\\s*_]*[:：=|][\\s*_([]*$`,
  'iu',
)
const gives =
  /(?<!\p{L})(?:an? (?:solid|strong|weak|clear|generous|high|low|perfect|good|decent|fair|firm) |give|say|gave|giving|rate|rated|rating|score|assign(?:ed)?|award(?:ed)?|call it|deserves?|gebe|vergebe|donne|attribue|doy|otorgo|dou|do|ставлю|daję|geef|打|给)(?!\p{Ll})[^.!?\n\d]{0,40}$/iu
const probability = /(?:probability|likelihood|p\(correct\))[^.\n\d]{0,40}(?:[:=]|is)[\s*_]*$/iu
const outOf =
  /^[\s*_(]{0,3}(?:(?:分|点|點|점)?[\s(（,，*_]*(?:满分|滿分|満点|만점)(?:为|為|是|は|：|:)?|\/|(?:out\s+)?of|von|sur|de|su|из|na|van|av|üzerinden|dari|trên|من|में से|จาก)[\s*_]{0,3}$/iu
/** Stands between the highest rating and the rating: 10점 만점에 7점. */
const ofWhich = /^\s?(?:점|点|點|分)?\s?(?:만점|満点|满分|滿分)(?:에|에서|で|の|中|,|，)?\s?$/u
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
  const whole = reply.slice(-longest)
  const inJson = readJsonRating(whole)
  if (inJson !== undefined) return within(inJson, scale)
  const { text, hasScale } = plainReply(whole)
  const plain = plainNumbers(text)
  const numbers = placeNumbers(plain)
  const candidates = numbers.flatMap((_, index) => readCandidate(plain, { numbers, index, scale }) ?? [])
  const rank = candidates.reduce((most, candidate) => Math.max(most, candidate.rank), 0)
  if (rank > 0)
    return onlyValue(
      candidates.filter(candidate => candidate.rank === rank),
      scale,
    )
  if (numbers.length === 0) {
    const stars = countStars(text, scale[1])
    return within(stars === undefined ? toOptionalNumber(text) : convert({ ...stars, isPercent: false }, scale), scale)
  }
  const isEnd = hasScale && numbers.length === 1 && /^[\s*_"')\]]*(?:[.!,;\n]|$)/.test(plain.slice(numbers[0]?.end))
  if (isEnd) return onlyValue(candidates, scale)
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
  if (isNoRating(text, number)) return undefined
  const [gapBefore, gapBehind] = [
    before && text.slice(before.end, number.start).slice(0, 40),
    next && text.slice(number.end, next.start).slice(0, 40),
  ]
  if (gapBehind !== undefined && (ofWhich.test(gapBehind) || takesBack.test(gapBehind))) return undefined
  // The 10 of "7 out of 10" and the ends of a range are none.
  if (
    gapBefore !== undefined &&
    !takesBack.test(gapBefore) &&
    (outOf.test(gapBefore) || findJoint(gapBefore, '') !== undefined)
  )
    return undefined
  const isOf = gapBehind !== undefined && outOf.test(gapBehind)
  if (gapBehind !== undefined && !isOf && findJoint(gapBehind, '') !== undefined) return undefined
  const isOfBefore = before !== undefined && gapBefore !== undefined && ofWhich.test(gapBefore)
  const highest = isOf ? next : isOfBefore ? before : undefined
  const of = highest === undefined ? written.of : readWritten(text, highest)?.value
  // "7 of 12 criteria" is a count.
  if (isOf && of !== scale[1] && /^\s*of\s*$/i.test(gapBehind) && /^\s\p{L}/u.test(text.slice(next?.end)))
    return undefined
  const value = convert({ ...written, of }, scale)
  const rank = rankNumber(text, number, { hasScale: of !== undefined || written.isPercent, high: scale[1] })
  return { value, rank: Math.max(rank, rankByEarlier(text, before, gapBefore)) }
}

const isNoRating = (text: string, number: PlacedNumber): boolean =>
  isValueDenied(text, number) || isValueSupposed(text, number) || findBound(text, number) !== 'none'

/** The rank of a rating that stands in the place of an earlier one: "The rating is not 7 but 8", "Score: 7 → 8". */
function rankByEarlier(text: string, earlier: PlacedNumber | undefined, gap: string | undefined): number {
  if (earlier === undefined || gap === undefined) return 0
  const isDenied = isValueDenied(text, earlier) && !/[\n\d]/.test(gap) && gap.length <= 20
  const isAsked = isValueSupposed(text, earlier) && negates.test(gap)
  if (!isDenied && !isAsked && !takesBack.test(gap)) return 0
  const ahead = text.slice(Math.max(0, earlier.start - 60), earlier.start)
  const stated = withoutDenial(ahead)
  return Math.max(stated === ahead ? 0 : 1, rankAhead(stated))
}

/** The rank that the words before a number give it. */
function rankAhead(ahead: string): number {
  const found = label.exec(ahead)
  if (found?.groups?.['overall'] !== undefined || wholeLabel.test(ahead)) return 3
  return found !== null || gives.test(ahead) ? 2 : 0
}

function rankNumber(
  text: string,
  { start, end }: PlacedNumber,
  { hasScale, high }: { readonly hasScale: boolean; readonly high: number },
): number {
  const ahead = text.slice(Math.max(0, start - 60), start)
  const rank = rankAhead(ahead)
  if (rank > 0) return rank
  if (high === 1 && probability.test(ahead)) return 2
  return hasScale || unit.test(text.slice(end, end + 12)) ? 1 : 0
}

const overallKey = new RegExp(`^(?:${overall})$`, 'iu')
const keys = new RegExp(`^(?:(?:${overall})[_ -]?)?(?:${names})$`, 'iu')

/** The rating in the last JSON object of a reply, which text may surround; undefined if there is none. */
function readJsonRating(text: string): number | undefined {
  const data = parseLastObject(text)
  if (data === undefined) return undefined
  const read = (pattern: RegExp): readonly number[] =>
    Object.entries(data).flatMap(([key, value]) => (pattern.test(key) ? (toRating(value) ?? []) : []))
  const values = [read(keys), read(overallKey)].find(({ length }) => length > 0) ?? []
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
