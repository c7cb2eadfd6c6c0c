import { pythonRegex } from '../../../../base/python/python-regex.js'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { digitValue } from '../python-number.js'

/**
 * Normalises a Mandarin transcript: numbers, dates, amounts, telephone numbers, fractions and percentages are
 * written as spoken, and punctuation becomes spaces.
 *
 * A number replaces the first occurrence of its text. That can be inside an earlier, longer number, so that
 * `1,234.56` becomes 一 两百三十四点五六. Published scores contain this.
 *
 * Source: `cn_tn.py` of https://github.com/speechio/chinese_text_normalization, TextNorm with all options off, as
 * lmms-eval 0.7.2 calls it.
 */
export const normaliseChinese = (text: string): string => writeNumbersOut(text).replace(punctuation, ' ')

/** The first part of {@link normaliseChinese}: writes numbers as spoken. */
function writeNumbersOut(text: string): string {
  let spoken = `^${text}$`
  for (const { pattern, write, prepare } of rewriters) {
    if (prepare !== undefined) spoken = prepare(spoken)
    for (const match of spoken.matchAll(pattern)) {
      const numeral = match[1] ?? ''
      spoken = replaceFirst(spoken, numeral, write(numeral))
    }
  }
  return spoken.replace(/^\^+/, '').replace(/\$+$/, '')
}

interface Rewriter {
  /** The first group is the text to replace. */
  readonly pattern: RegExp
  readonly write: (found: string) => string
  readonly prepare?: (text: string) => string
}

const digits = Array.from('零一二三四五六七八九')

/** Reads digits one by one: `2023` becomes 二零二三. */
const readDigits = (number: string): string => Array.from(number, digit => digits[digitValue(digit)] ?? '').join('')

const amount = '(?:亿|千万|百万|万|千|百)'
const currency = `(?:${amount}|${amount}?元|${amount}?块|角|毛|分)`
/** Matches the measure words used for counting. */
const measureWord =
  '(?:[匹张座回场尾条个首阙阵网炮顶丘棵只支袭辆挑担颗壳窠曲墙群腔砣客贯扎捆刀令打手罗坡山岭江溪钟队单双对出口头脚板跳枝件贴针线管名位身堂课本页家户层丝毫厘分钱两斤铢石钧锱忽]' +
  '|[寸尺丈里寻常铺程撮勺合升斗盘碗碟叠桶笼盆盒杯斛锅簋篮罐瓶壶卮盏箩箱煲啖袋钵年月日季刻时周天秒旬纪岁世更夜春夏秋冬代伏辈丸泡粒幢堆根道面片块]' +
  '|[千毫微]克|[千分厘毫]米)'

const month = '\\d{1,2}月(?:\\d{1,2}[日号])?'
const number = /\p{Nd}+(?:\.\p{Nd}+)?/gu

const rewriters: readonly Rewriter[] = [
  { pattern: pythonRegex(`\\D((?:[089]\\d|(?:19|20)\\d{2})年(?:${month})?|${month})`, 'g'), write: readDate },
  {
    pattern: pythonRegex(`\\D(\\d+(?:\\.\\d+)?[多余几]?${currency}(?:\\d${currency}?)?)`, 'g'),
    write: readAmounts,
  },
  {
    pattern: pythonRegex('\\D((?:\\+?86 ?)?1(?:[38]\\d|5[0-35-9]|7[678]|9[89])\\d{8})\\D', 'g'),
    write: numeral => splitWhiteSpace(numeral.replace(/^\++/, '')).map(readDigits).join(''),
  },
  {
    pattern: pythonRegex('\\D((?:0(?:10|2[1-3]|[3-9]\\d{2})-?)?[1-9]\\d{6,7})\\D', 'g'),
    write: numeral => numeral.split('-').map(readDigits).join(''),
  },
  {
    pattern: pythonRegex('((?<!\\d)\\d+/\\d+)', 'g'),
    write: numeral => numeral.split('/').reverse().map(readNumber).join('分之'),
  },
  {
    prepare: text => text.replaceAll('％', '%'),
    pattern: pythonRegex('((?<!\\d)\\d+(?:\\.\\d+)?%)', 'g'),
    write: numeral => `百分之${readNumber(numeral.slice(0, -1))}`,
  },
  { pattern: pythonRegex(`((?<!\\d)\\d+(?:\\.\\d+)?)[多余几]?${measureWord}`, 'g'), write: readNumber },
  { pattern: pythonRegex('(\\d{4,32})', 'g'), write: readDigits },
  { pattern: pythonRegex('(\\d+(?:\\.\\d+)?)', 'g'), write: readNumber },
  // P2P, O2O and B2B are not spoken as numbers.
  { pattern: pythonRegex('([a-zA-Z]+二[a-zA-Z]+)', 'g'), write: word => word.replace('二', '2') },
]

/** Reads `2023年5月1日`: the year digit by digit, month and day as numbers. */
function readDate(date: string): string {
  const [, year = '', month = '', day = ''] = /^([^年]*年)?([^月]*月)?(.*)$/u.exec(date) ?? []
  return readDigits(year.slice(0, -1)) + year.slice(-1) + [month, day].map(readCounted).join('')
}

function readCounted(part: string): string {
  return readNumber(part.slice(0, -1)) + part.slice(-1)
}

/** Replaces each number in an amount, at all occurrences of its digits. */
function readAmounts(amountText: string): string {
  return Array.from(amountText.matchAll(number), ([each]) => each).reduce(
    (text, each) => text.replaceAll(each, readNumber(each)),
    amountText,
  )
}

function replaceFirst(text: string, part: string, by: string): string {
  const at = text.indexOf(part)
  return at < 0 ? text : text.slice(0, at) + by + text.slice(at + part.length)
}

/** Matches full-width and Chinese punctuation, as in the zhon project, and ASCII punctuation. */
const punctuation =
  /[！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃《》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏·〈〉!-/:-@[-`{-~]/gu

/** A character of a numeral: a digit, a power of ten, or the decimal point. */
type Sign =
  | { readonly kind: 'digit'; readonly value: number }
  | { readonly kind: 'unit'; readonly power: number }
  | { readonly kind: 'point' }

/** Powers of ten with their characters, the largest first: 载, 正, 涧, 沟, 穰, 秭, 垓, 京, 兆, 亿, 万, 千, 百, 十. */
const units: readonly (readonly [power: number, sign: string])[] = [
  ...Array.from('载正涧沟穰秭垓京兆亿万').map((sign, i) => [44 - 4 * i, sign] as const),
  ...([[3, '千'], [2, '百'], [1, '十']] as const), // prettier-ignore
]

/**
 * Reads a decimal number with at most one point in Mandarin: `1024` is 一千零二十四, `2000` is 两千, `3.5` is 三点五. Leading
 * zeros are read once. Several zeros without another digit are an empty text.
 *
 * Source: `cn_tn.py` of https://github.com/speechio/chinese_text_normalization, num2chn with its defaults.
 */
function readNumber(number: string): string {
  const [integer = '', decimals = ''] = number.split('.')
  const whole = Array.from(integer)
  const signs = [
    ...(whole.length > 1 ? listSigns(whole) : whole.map(digit)),
    ...(decimals === '' ? [] : [{ kind: 'point' } as const, ...Array.from(decimals, digit)]),
  ]
  const text = signs.map((sign, i) => formatSign(sign, signs[i - 1], signs[i + 1])).join('')
  if (text.startsWith('点')) return `零${text}`
  return text.startsWith('一十') ? text.slice(1) : text
}

const digit = (character: string): Sign => ({ kind: 'digit', value: digitValue(character) })

function listSigns(number: readonly string[]): readonly Sign[] {
  const start = number.findIndex(character => character !== '0')
  if (start < 0) return []
  const significant = number.slice(start)
  const [first = '0'] = significant
  if (significant.length === 1) return start > 0 ? [digit('0'), digit(first)] : [digit(first)]
  const power = units.find(([each]) => each < significant.length)?.[0] ?? 1
  const upper = number.slice(0, -power)
  return [...listSigns(upper), { kind: 'unit', power }, ...listSigns(significant.slice(-power))]
}

function formatSign(sign: Sign, before: Sign | undefined, after: Sign | undefined): string {
  if (sign.kind === 'point') return '点'
  if (sign.kind === 'unit') return units.find(([power]) => power === sign.power)?.[1] ?? ''
  const isPair = sign.value === 2 && isUnitOtherThanTen(after) && (before === undefined || isUnitOtherThanTen(before))
  return isPair ? '两' : (digits[sign.value] ?? '')
}

const isUnitOtherThanTen = (sign: Sign | undefined): boolean => sign?.kind === 'unit' && sign.power !== 1
