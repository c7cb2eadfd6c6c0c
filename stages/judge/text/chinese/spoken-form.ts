import { pythonRegex } from '../../../../base/python-regex.js'
import { splitWhiteSpace } from '../../../../base/white-space.js'
import { readDigits, readNumber } from './numerals.js'

/**
 * A Mandarin transcript in the form in which it is compared: numbers, dates, amounts, telephone numbers, fractions and
 * percentages as they are spoken, punctuation as spaces.
 *
 * A number is written out where its text is found first, which may be an earlier, longer number's middle (`1,234.56` becomes 一
 * 两百三十四点五六); published scores hold this.
 *
 * Source: `cn_tn.py` of https://github.com/speechio/chinese_text_normalization, TextNorm with all options off, as lmms-eval 0.7.2 calls it.
 */
export const normaliseChinese = (text: string): string => writeNumbersOut(text).replace(punctuation, ' ')

/** The first part of {@link normaliseChinese}. */
function writeNumbersOut(text: string): string {
  let spoken = `^${text}$`
  for (const { pattern, write, prepare } of rewriters) {
    if (prepare !== undefined) spoken = prepare(spoken)
    for (const match of spoken.matchAll(pattern)) {
      const found = match[1] ?? ''
      spoken = replaceFirst(spoken, found, write(found))
    }
  }
  return spoken.replace(/^\^+/, '').replace(/\$+$/, '')
}

interface Rewriter {
  /** Its first group is what is written otherwise. */
  readonly pattern: RegExp
  readonly write: (found: string) => string
  readonly prepare?: (text: string) => string
}

const amount = '(?:亿|千万|百万|万|千|百)'
const currency = `(?:${amount}|${amount}?元|${amount}?块|角|毛|分)`
/** Measure words that are counted with. */
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
    write: found => splitWhiteSpace(found.replace(/^\++/, '')).map(readDigits).join(''),
  },
  {
    pattern: pythonRegex('\\D((?:0(?:10|2[1-3]|[3-9]\\d{2})-?)?[1-9]\\d{6,7})\\D', 'g'),
    write: found => found.split('-').map(readDigits).join(''),
  },
  {
    pattern: pythonRegex('((?<!\\d)\\d+/\\d+)', 'g'),
    write: found => found.split('/').reverse().map(readNumber).join('分之'),
  },
  {
    prepare: text => text.replaceAll('％', '%'),
    pattern: pythonRegex('((?<!\\d)\\d+(?:\\.\\d+)?%)', 'g'),
    write: found => `百分之${readNumber(found.slice(0, -1))}`,
  },
  { pattern: pythonRegex(`((?<!\\d)\\d+(?:\\.\\d+)?)[多余几]?${measureWord}`, 'g'), write: readNumber },
  { pattern: pythonRegex('(\\d{4,32})', 'g'), write: readDigits },
  { pattern: pythonRegex('(\\d+(?:\\.\\d+)?)', 'g'), write: readNumber },
  // P2P, O2O, B2B are not spoken as numbers.
  { pattern: pythonRegex('([a-zA-Z]+二[a-zA-Z]+)', 'g'), write: found => found.replace('二', '2') },
]

/** `2023年5月1日`: the year digit by digit, month and day as numbers. */
function readDate(date: string): string {
  const [, year = '', month = '', day = ''] = /^([^年]*年)?([^月]*月)?(.*)$/u.exec(date) ?? []
  return readDigits(year.slice(0, -1)) + year.slice(-1) + [month, day].map(readCounted).join('')
}

function readCounted(part: string): string {
  return readNumber(part.slice(0, -1)) + part.slice(-1)
}

/** Each number that is found, wherever its digits stand in the amount. */
function readAmounts(found: string): string {
  return Array.from(found.matchAll(number), ([each]) => each).reduce(
    (text, each) => text.replaceAll(each, readNumber(each)),
    found,
  )
}

function replaceFirst(text: string, part: string, by: string): string {
  const at = text.indexOf(part)
  return at < 0 ? text : text.slice(0, at) + by + text.slice(at + part.length)
}

/** Full-width and Chinese punctuation, as in the zhon project, and that of ASCII. */
const punctuation =
  /[！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃《》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏·〈〉!-/:-@[-`{-~]/gu
