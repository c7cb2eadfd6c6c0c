/** A moment in the clock of its zone. */
export interface TimeParts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly microsecond: number
  /** `+01:00`; empty where there is no zone. */
  readonly offset: string
}

const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const months = 'January February March April May June July August September October November December'.split(' ')

/**
 * Python's `strftime` in the locale C: `%d.%m.%Y`, and `%-d` without zeros in front.
 *
 * @throws Error for a directive that is not known.
 */
export function formatTime(format: string, parts: TimeParts): string {
  return format.replace(/%(-?)([a-zA-Z%])/g, (directive, dash: string, letter: string) => {
    const text = textOf(letter, parts)
    if (text === undefined) throw new Error(`strftime: ${directive} is not known`)
    return dash === '' ? text : text.replace(/^0+(?=\d)/, '')
  })
}

const padded = (value: number, width = 2): string => String(value).padStart(width, '0')

function textOf(letter: string, parts: TimeParts): string | undefined {
  const { year, month, day, hour, minute, second, microsecond, offset } = parts
  const date = Date.UTC(year, month - 1, day)
  const weekday = new Date(date).getUTCDay()
  const [dayName = '', monthName = ''] = [days[weekday], months[month - 1]]
  const again = (format: string): string => formatTime(format, parts)
  const texts: Readonly<Record<string, () => string>> = {
    Y: () => String(year),
    y: () => padded(year % 100),
    m: () => padded(month),
    d: () => padded(day),
    e: () => String(day).padStart(2),
    H: () => padded(hour),
    I: () => padded(hour % 12 === 0 ? 12 : hour % 12),
    M: () => padded(minute),
    S: () => padded(second),
    f: () => padded(microsecond, 6),
    p: () => (hour < 12 ? 'AM' : 'PM'),
    j: () => padded((date - Date.UTC(year, 0, 1)) / 86_400_000 + 1, 3),
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
