/** Formats numbers for people, in the terminal and in the browser. The minus sign is the typographic one, so that a range and a sign differ. */

const minus = (text: string): string => text.replace('-', '−')

/** `1,000`. Formatted by hand, because loading `Intl` data takes longer than a whole report. */
export const formatCount = (count: number): string =>
  minus(Math.round(count).toFixed(0)).replace(/\B(?=(\d{3})+$)/g, ',')

/** `3 docs`, `1 doc`. The number is rounded. */
export const formatQuantity = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${Math.round(count) === 1 ? noun : plural}`

/** A score with three decimals, or `–`. */
export const formatDecimal = (value: number | null): string => (value === null ? '–' : minus(value.toFixed(3)))

/** `+0.017`, `−0.014` */
export const formatDifference = (value: number): string => `${value < 0 ? '' : '+'}${formatDecimal(value)}`

/** `0.885 – 0.922` */
export const range = (interval: readonly [number, number] | null): string =>
  interval === null ? '–' : `${formatDecimal(interval[0])} – ${formatDecimal(interval[1])}`

/** `−0.014 … +0.017` */
export const signedRange = (interval: readonly [number, number] | null): string =>
  interval === null ? '–' : `${formatDifference(interval[0])} … ${formatDifference(interval[1])}`

/** `99.6 %`, truncated so that 100 % means all. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–'
  const tenths = Math.floor((part / whole) * 1000 + 1e-9)
  if (part > 0 && tenths === 0) return '< 0.1 %'
  return `${tenths % 10 === 0 ? (tenths / 10).toFixed(0) : (tenths / 10).toFixed(1)} %`
}

/** `0.4 s`, `11 s`, `2 min 5 s`, `1 h 3 min` */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A short time with two or three digits: `0.4 ms`, `12 ms`, `0.31 s`, `4.2 s`, then as {@link duration}. */
export function shortTime(milliseconds: number): string {
  if (milliseconds === 0) return '0 ms'
  if (milliseconds < 0.95) return `${milliseconds.toFixed(1)} ms`
  if (milliseconds < 99.5) return `${milliseconds.toFixed(0)} ms`
  if (milliseconds < 995) return `${(milliseconds / 1000).toFixed(2)} s`
  return duration(milliseconds)
}

/** A label of an axis, with at most three digits below 100: `0.25`, `42.5`, `17,140`. */
export const axisLabel = (value: number): string =>
  Math.abs(value) >= 100 ? formatCount(value) : minus(String(Number(value.toPrecision(3))))

/** `$0.0042`, `$0.42`, `$1,234.50` */
export function dollars(usd: number): string {
  if (usd >= 0.995) return `$${formatCount(Math.floor(usd + 0.005))}.${(usd + 0.005).toFixed(3).slice(-3, -1)}`
  return usd === 0 ? '$0' : `$${usd.toPrecision(2)}`
}

/** `96.4/s` */
export const rate = (perSecond: number): string =>
  perSecond >= 1000 ? `${formatCount(perSecond)}/s` : `${perSecond.toFixed(perSecond < 0.095 ? 3 : 1)}/s`

/** `3.3 MB`, in powers of 1,000. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${units[unit] ?? 'TB'}`
}

/** Formats a time as `2026-11-21 14:02`, in the local time zone. A text that is no time is returned unchanged. */
export function dateTime(time: string | number): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return String(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** A p-value, never printed as zero. */
export const probability = (p: number): string => (p < 0.0001 ? '< 0.0001' : p.toFixed(4))
