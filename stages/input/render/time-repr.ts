import type { TimeKind } from '../datasets/columns/times.js'

/** A time as Python's `repr` prints it, which it does in lists: `datetime.date(2024, 1, 2)`. `text` is what `str` prints. */
export function timeRepr(text: string, kind: TimeKind): string {
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

/** Hours and minutes, and what is left of seconds and microseconds. */
function clockArguments(text: string): readonly number[] {
  const parts = numbersIn(text)
  while (parts.length > 2 && parts.at(-1) === 0) parts.pop()
  return parts
}

function lengthArguments(text: string): string {
  const [days, rest] = text.includes(',') ? text.split(/ days?, /) : ['0', text]
  const [hours = 0, minutes = 0, seconds = 0, microseconds = 0] = numbersIn(rest ?? '')
  const parts = { days: Number(days), seconds: hours * 3_600 + minutes * 60 + seconds, microseconds }
  const named = Object.entries(parts).filter(([, value]) => value !== 0)
  return named.length === 0 ? '0' : named.map(([name, value]) => `${name}=${value}`).join(', ')
}

const numbersIn = (text: string): number[] => Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits))
