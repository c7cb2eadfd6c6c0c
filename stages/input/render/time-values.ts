import type { TimeKind } from '../datasets/columns/times.js'
import { bindArguments, Callable, textIn, Time, type Value, Written } from './jinja/values.js'

const moment = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{6})\d*)?([+-][\d:]+)?)?$/
const clock = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{6}))?$/
const length = /^(?:(-?\d+) days?,? \+?)?(\d+):(\d\d):(\d\d)(?:\.(\d{6})\d*)?$/

/**
 * Converts a time of a doc to the value that templates see. The value prints as the original text and has Python's attributes (`.year`,
 * `.strftime('%d.%m.%Y')`, `.days`). Returns `undefined` if the text is no time.
 */
export function timeValue(text: string, kind: TimeKind): Time | undefined {
  const attributes = kind.of === 'duration' ? lengthAttributes(text) : makeAttributes(text, kind)
  if (attributes === undefined) return undefined
  return new Time(new Written(text, timeRepr(text, kind)), new Map(Object.entries(attributes)))
}

type Attributes = Readonly<Record<string, Value>>

const plain = (name: string, value: Value): Callable => new Callable(name, () => value)

function makeAttributes(text: string, kind: TimeKind): Attributes | undefined {
  const parts = timeParts(text)
  if (parts === undefined) return undefined
  const { year, month, day, hour, minute, second, microsecond } = parts
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7
  return {
    ...(kind.of === 'time'
      ? {}
      : { year, month, day, weekday: plain('weekday', weekday), isoweekday: plain('isoweekday', weekday + 1) }),
    ...(kind.of === 'date' ? {} : { hour, minute, second, microsecond }),
    isoformat: plain('isoformat', text.replace(' ', 'T')),
    strftime: new Callable('strftime', args => {
      const [format = null] = bindArguments('strftime', ['format'], args)
      return formatTime(textIn(format, 'the format'), parts)
    }),
  }
}

function lengthAttributes(text: string): Attributes | undefined {
  const match = length.exec(text)
  if (match === null) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0, microseconds = 0] = parseNumbers(match)
  return { days, seconds: hours * 3_600 + minutes * 60 + seconds, microseconds }
}

/** Parses a datetime, a date or a time of day. A time of day is dated 1 January 1900, as in Python. */
function timeParts(text: string): TimeParts | undefined {
  const match = moment.exec(text) ?? clock.exec(text)
  if (match === null) return undefined
  const numbers = parseNumbers(match)
  const fields = match.length < 8 ? [1900, 1, 1, ...numbers] : numbers
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, microsecond = 0] = fields
  return { year, month, day, hour, minute, second, microsecond, offset: match[8] ?? '' }
}

const parseNumbers = (match: RegExpExecArray): readonly number[] =>
  match.slice(1, 8).map(part => Number((part as string | undefined) ?? 0))

/**
 * Prints a time as Python's `repr` does, as inside lists: `datetime.date(2024, 1, 2)`. `text` is what `str` prints.
 */
function timeRepr(text: string, kind: TimeKind): string {
  if (kind.of === 'date') return `datetime.date(${numbersIn(text).join(', ')})`
  const isPandas = kind.unit === 'ns'
  switch (kind.of) {
    case 'time':
      return `datetime.time(${clockArguments(text).join(', ')})`
    case 'duration':
      return isPandas ? `Timedelta('${text}')` : `datetime.timedelta(${lengthArguments(text)})`
    case 'datetime':
      return isPandas ? stamp(text, kind.zone) : momentText(text, kind.zone)
  }
}

function momentText(text: string, zone: string | undefined): string {
  const [day = '', rest = ''] = text.split(' ')
  const parts = [...numbersIn(day), ...clockArguments(rest.replace(/[+-].*$/, ''))].map(String)
  return `datetime.datetime(${[...parts, ...(zone === undefined ? [] : [`tzinfo=${zoneText(zone)}`])].join(', ')})`
}

const fixedZone = /^([+-])(\d\d):?(\d\d)$/

function zoneText(zone: string): string {
  const fixed = fixedZone.exec(zone)
  if (fixed === null) return `zoneinfo.ZoneInfo(key='${zone}')`
  const seconds = Number(fixed[2]) * 3_600 + Number(fixed[3]) * 60
  if (seconds === 0) return 'datetime.timezone.utc'
  const length = fixed[1] === '-' ? `days=-1, seconds=${86_400 - seconds}` : `seconds=${seconds}`
  return `datetime.timezone(datetime.timedelta(${length}))`
}

function stamp(text: string, zone: string | undefined): string {
  if (zone === undefined) return `Timestamp('${text}')`
  const name = fixedZone.test(zone) ? `UTC${zone}` : zone
  return `Timestamp('${text.replace(/([+-]\d\d):(\d\d)$/, '$1$2')}', tz='${name}')`
}

/** Returns hours and minutes, and seconds and microseconds unless they are zero. */
function clockArguments(text: string): readonly number[] {
  const parts = numbersIn(text)
  while (parts.length > 2 && parts.at(-1) === 0) parts.pop()
  return parts
}

function lengthArguments(text: string): string {
  const [days, rest] = text.includes(',') ? text.split(/ days?, /) : ['0', text]
  const [hours = 0, minutes = 0, seconds = 0, microseconds = 0] = numbersIn(rest ?? '')
  const parts = { days: Number(days), seconds: hours * 3_600 + minutes * 60 + seconds, microseconds }
  const nonZeroParts = Object.entries(parts).filter(([, value]) => value !== 0)
  return nonZeroParts.length === 0 ? '0' : nonZeroParts.map(([name, value]) => `${name}=${value}`).join(', ')
}

const numbersIn = (text: string): number[] => Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits))

/** The fields of a time in its own zone. */
interface TimeParts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly microsecond: number
  /** `+01:00`; empty without a zone. */
  readonly offset: string
}

const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const months = 'January February March April May June July August September October November December'.split(' ')

/**
 * Formats by Python's `strftime` in the locale C: `%d.%m.%Y`, and `%-d` without leading zeros.
 *
 * @throws Error for an unknown directive.
 */
function formatTime(format: string, parts: TimeParts): string {
  return format.replace(/%(-?)([a-zA-Z%])/g, (directive, dash: string, letter: string) => {
    const text = formatDirective(letter, parts)
    if (text === undefined) throw new Error(`strftime: ${directive} is not known`)
    return dash === '' ? text : text.replace(/^0+(?=\d)/, '')
  })
}

const padNumber = (value: number, width = 2): string => String(value).padStart(width, '0')

function formatDirective(letter: string, parts: TimeParts): string | undefined {
  const { year, month, day, hour, minute, second, microsecond, offset } = parts
  const date = Date.UTC(year, month - 1, day)
  const weekday = new Date(date).getUTCDay()
  const [dayName = '', monthName = ''] = [days[weekday], months[month - 1]]
  const again = (format: string): string => formatTime(format, parts)
  const texts: Readonly<Record<string, () => string>> = {
    Y: () => String(year),
    y: () => padNumber(year % 100),
    m: () => padNumber(month),
    d: () => padNumber(day),
    e: () => String(day).padStart(2),
    H: () => padNumber(hour),
    I: () => padNumber(hour % 12 === 0 ? 12 : hour % 12),
    M: () => padNumber(minute),
    S: () => padNumber(second),
    f: () => padNumber(microsecond, 6),
    p: () => (hour < 12 ? 'AM' : 'PM'),
    j: () => padNumber((date - Date.UTC(year, 0, 1)) / 86_400_000 + 1, 3),
    w: () => String(weekday),
    u: () => String(weekday === 0 ? 7 : weekday),
    A: () => dayName,
    a: () => dayName.slice(0, 3),
    B: () => monthName,
    b: () => monthName.slice(0, 3),
    h: () => monthName.slice(0, 3),
    z: () => offset.replaceAll(':', ''),
    F: () => again('%Y-%m-%d'),
    T: () => again('%H:%M:%S'),
    R: () => again('%H:%M'),
    D: () => again('%m/%d/%y'),
    x: () => again('%m/%d/%y'),
    X: () => again('%H:%M:%S'),
    c: () => again('%a %b %e %H:%M:%S %Y'),
    '%': () => '%',
  }
  return Object.hasOwn(texts, letter) ? texts[letter]?.() : undefined
}
