import { PipelineError, messageOf } from '../../../../base/errors/errors.js'

/** The number of units in a second. */
const perSecond = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n } as const

export type TimeUnit = keyof typeof perSecond

/**
 * The kind of time in a column: timestamps, with a time zone if one is named, dates, times of day or durations, and
 * their unit.
 */
export type TimeKind =
  | { readonly of: 'datetime'; readonly unit: TimeUnit; readonly zone?: string }
  | { readonly of: 'date' }
  | { readonly of: 'time' | 'duration'; readonly unit: TimeUnit }

const daySeconds = 86_400n

/**
 * Prints a time like Python's `str` of the value that `datasets` returns: `2024-01-02 03:04:05.123456+01:00`,
 * `2024-01-02`, `03:04:05`, `1 day, 0:00:03`. Times in nanoseconds are a `Timestamp` or `Timedelta` of pandas
 * there.
 *
 * @param count units since the start of 1970 in UTC (days for a date), since midnight, or of a duration
 * @param locate for messages
 *
 *
 * @throws PipelineError if the time zone is unknown, or the time is out of range.
 */
export function timeText(count: bigint, kind: TimeKind, locate: () => string): string {
  try {
    return formatTimeCount(count, kind)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new PipelineError('dataset', `${locate()}: ${count} is no ${kind.of}: ${messageOf(error)}`, { cause: error })
  }
}

function formatTimeCount(count: bigint, kind: TimeKind): string {
  if (kind.of === 'date') return dayText(count)
  const [seconds, rest] = divideFloor(count, perSecond[kind.unit])
  const nanoseconds = (rest * perSecond.ns) / perSecond[kind.unit]
  switch (kind.of) {
    case 'datetime':
      return momentText(seconds, fractionText(nanoseconds, kind.unit), kind.zone)
    case 'time':
      return `${clockText(seconds)}${fractionText(nanoseconds, 'us')}`
    case 'duration':
      return durationText(seconds, nanoseconds, kind.unit)
  }
}

function momentText(seconds: bigint, fraction: string, zone: string | undefined): string {
  const offset = zone === undefined ? 0 : computeZoneOffset(seconds, zone)
  const [day, clock] = divideFloor(seconds + BigInt(offset), daySeconds)
  return `${dayText(day)} ${clockText(clock)}${fraction}${zone === undefined ? '' : offsetText(offset)}`
}

function durationText(seconds: bigint, nanoseconds: bigint, unit: TimeUnit): string {
  const [days, clock] = divideFloor(seconds, daySeconds)
  const rest = `${clockText(clock)}${fractionText(nanoseconds, unit)}`
  if (unit === 'ns') return `${days} days ${days < 0n ? '+' : ''}${rest}`
  const short = rest.replace(/^0/, '')
  return days === 0n ? short : `${days} day${days === 1n || days === -1n ? '' : 's'}, ${short}`
}

const dayText = (day: bigint): string => new Date(Number(day * daySeconds) * 1_000).toISOString().replace(/T.*$/, '')

function clockText(seconds: bigint): string {
  const [minutes, second] = divideFloor(seconds, 60n)
  return [minutes / 60n, minutes % 60n, second].map(part => String(part).padStart(2, '0')).join(':')
}

/** Python prints microseconds. pandas prints nanoseconds if they are not zero. */
function fractionText(nanoseconds: bigint, unit: TimeUnit): string {
  const digits = String(nanoseconds).padStart(9, '0')
  const shownDigits = unit === 'ns' && nanoseconds % 1_000n !== 0n ? digits : digits.slice(0, 6)
  return /^0*$/.test(shownDigits) ? '' : `.${shownDigits}`
}

/** The offset of a time zone from UTC in seconds. */
function computeZoneOffset(seconds: bigint, zone: string): number {
  const fixed = offsetIn(zone)
  if (fixed !== undefined) return fixed
  const zoneText = makeZoneFormat(zone).format(new Date(Number(seconds) * 1_000))
  return offsetIn(/GMT(.*)$/.exec(zoneText)?.[1] ?? '') ?? 0
}

/** Parses an offset such as `+05:30`. */
function offsetIn(text: string): number | undefined {
  const match = /^([+-])(\d\d):?(\d\d)(?::(\d\d))?$/.exec(text)
  if (match === null) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(2).map(part => Number((part as string | undefined) ?? 0))
  return (match[1] === '-' ? -1 : 1) * (hours * 3_600 + minutes * 60 + seconds)
}

function offsetText(offset: number): string {
  const text = clockText(BigInt(Math.abs(offset))).replace(/:00$/, '')
  return `${offset < 0 ? '-' : '+'}${text}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function makeZoneFormat(zone: string): Intl.DateTimeFormat {
  const cachedFormat = formats.get(zone)
  if (cachedFormat !== undefined) return cachedFormat
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  formats.set(zone, format)
  return format
}

/** The quotient, rounded down, and the remainder, like Python's `divmod`. */
function divideFloor(count: bigint, by: bigint): readonly [bigint, bigint] {
  const rest = ((count % by) + by) % by
  return [(count - rest) / by, rest]
}
