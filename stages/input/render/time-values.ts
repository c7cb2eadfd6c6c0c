import type { TimeKind } from '../datasets/columns/times.js'
import { bound } from './jinja/bind-arguments.js'
import { Callable, Time, Written, textIn, type Value } from './jinja/values.js'
import { timeRepr } from './time-repr.js'
import { formatTime, type TimeParts } from './strftime.js'

const moment = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{6})\d*)?([+-][\d:]+)?)?$/
const clock = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{6}))?$/
const length = /^(?:(-?\d+) days?,? \+?)?(\d+):(\d\d):(\d\d)(?:\.(\d{6})\d*)?$/

/**
 * A time of a doc as templates see it: printed as the text that it is, with the attributes that it has in Python
 * (`.year`, `.strftime('%d.%m.%Y')`, `.days`); `undefined` for a text that is no such time.
 */
export function timeValue(text: string, kind: TimeKind): Time | undefined {
  const attributes = kind.of === 'duration' ? lengthAttributes(text) : attributesOf(text, kind)
  if (attributes === undefined) return undefined
  return new Time(new Written(text, timeRepr(text, kind)), new Map(Object.entries(attributes)))
}

type Attributes = Readonly<Record<string, Value>>

const plain = (name: string, value: Value): Callable => new Callable(name, () => value)

function attributesOf(text: string, kind: TimeKind): Attributes | undefined {
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
      const [format = null] = bound('strftime', ['format'], args)
      return formatTime(textIn(format, 'the format'), parts)
    }),
  }
}

function lengthAttributes(text: string): Attributes | undefined {
  const found = length.exec(text)
  if (found === null) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0, microseconds = 0] = numbersOf(found)
  return { days, seconds: hours * 3_600 + minutes * 60 + seconds, microseconds }
}

/** Of a moment, a day or a time of day. A time of day is one of 1 January 1900, as in Python. */
export function timeParts(text: string): TimeParts | undefined {
  const found = moment.exec(text) ?? clock.exec(text)
  if (found === null) return undefined
  const numbers = numbersOf(found)
  const all = found.length < 8 ? [1900, 1, 1, ...numbers] : numbers
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, microsecond = 0] = all
  return { year, month, day, hour, minute, second, microsecond, offset: found[8] ?? '' }
}

const numbersOf = (found: RegExpExecArray): readonly number[] =>
  found.slice(1, 8).map(part => Number((part as string | undefined) ?? 0))
