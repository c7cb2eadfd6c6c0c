import { isIterable, itemsOf, isTrue, Missing, present, textIn, wholeNumber, type Value } from './values.js'
import { whiteSpaceClass } from '../../../../base/white-space.js'
import type { Filter } from './filter.js'
import { unescaped } from './html-text.js'
import { shown } from './print.js'
import { split } from './text-parts.js'

/** Filters that make HTML of something, or text of HTML. */
export const pageFilters: Readonly<Record<string, Filter>> = {
  striptags: { parameters: [], call: on => stripTags(shown(on)) },
  xmlattr: {
    parameters: ['autospace'],
    call(on, [autospace = true]) {
      const text = attributes(on)
      return isTrue(autospace) && text !== '' ? ` ${text}` : text
    },
  },
  urlize: { parameters: ['trim_url_limit', 'nofollow', 'target', 'rel', 'extra_schemes'], call: urlize },
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}

export const escaped = (text: string): string => text.replace(/[&<>'"]/g, char => entities[char] ?? char)

/** Without comments and tags, each stretch of white space a space, and entities as what they stand for. */
function stripTags(text: string): string {
  let kept = ''
  let at = 0
  for (let start = text.indexOf('<'); start >= 0; start = text.indexOf('<', at)) {
    const end = text.startsWith('<!--', start) ? endOf(text, '-->', start + 4) : endOf(text, '>', start)
    if (end === undefined) break
    kept += text.slice(at, start)
    at = end
  }
  return unescaped(split(kept + text.slice(at), null, -1).join(' '))
}

function endOf(text: string, mark: string, from: number): number | undefined {
  const at = text.indexOf(mark, from)
  return at < 0 ? undefined : at + mark.length
}

function attributes(on: Value): string {
  const found = present(on)
  if (!(found instanceof Map)) throw new Error('xmlattr needs a dictionary')
  return [...found]
    .filter(([, value]) => value !== null && !(value instanceof Missing))
    .map(([key, value]) => {
      const name = shown(key)
      if (/[\s/>=]/.test(name)) throw new Error(`xmlattr: an attribute can't be called ${JSON.stringify(name)}`)
      return `${escaped(name)}="${escaped(shown(value))}"`
    })
    .join(' ')
}

function urlize(
  on: Value,
  [limit = null, nofollow = false, target = null, rel = null, schemes = null]: readonly (Value | undefined)[],
): string {
  const parts = new Set([
    ...(rel === null ? [] : textIn(rel, 'rel').split(/\s+/).filter(Boolean)),
    ...(isTrue(nofollow) ? ['nofollow'] : []),
    'noopener',
  ])
  const most = limit === null ? Infinity : wholeNumber(limit, 'trim_url_limit')
  const link: Linking = {
    attributes: ` rel="${escaped([...parts].sort().join(' '))}"${target === null ? '' : ` target="${escaped(textIn(target, 'target'))}"`}`,
    trimmed(url) {
      const chars = Array.from(url)
      return chars.length > most ? `${chars.slice(0, most).join('')}...` : url
    },
    schemes: isIterable(schemes) ? itemsOf(schemes).map(one => textIn(one, 'a scheme')) : [],
  }
  return escaped(shown(on))
    .split(new RegExp(`([${whiteSpaceClass}]+)`))
    .map(word => linkedWord(word, link))
    .join('')
}

interface Linking {
  readonly attributes: string
  readonly trimmed: (url: string) => string
  readonly schemes: readonly string[]
}

/** Brackets around an address and marks behind it are none of it. Source: Jinja's `utils.urlize`. */
function linkedWord(word: string, link: Linking): string {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? ''
  let middle = word.slice(head.length)
  let tail = /(?:[)>.,\n]|&gt;)+$/.exec(middle)?.[0] ?? ''
  middle = middle.slice(0, middle.length - tail.length)
  for (const [start, end] of [['(', ')'] as const, ['<', '>'] as const, ['&lt;', '&gt;'] as const]) {
    const opened = countOf(middle, start)
    if (opened <= countOf(middle, end)) continue
    for (let left = Math.min(opened, countOf(tail, end)); left > 0; left--) {
      const to = tail.indexOf(end) + end.length
      middle += tail.slice(0, to)
      tail = tail.slice(to)
    }
  }
  return head + linked(middle, link) + tail
}

const countOf = (text: string, part: string): number => text.split(part).length - 1

const address =
  /^(?:(?:https?:\/\/|www\.)(?:(?:[\p{L}\p{N}_%-]+\.)+)?(?:[a-z]{2,63}|xn--[\p{L}\p{N}_%]{2,59})|(?:[\p{L}\p{N}_%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)|https?:\/\/(?:\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}|\[(?:[\p{Nd}a-f]{0,4}:){2}(?:[\p{Nd}a-f]{0,4}:?){1,6}\]))(?::\p{Nd}{1,5})?(?:[/?#]\S*)?$/iu
const mail = /^\S+@[\p{L}\p{N}_][\p{L}\p{N}_.-]*\.[\p{L}\p{N}_]+$/u

function linked(text: string, { attributes, trimmed, schemes }: Linking): string {
  if (address.test(text)) {
    const url = /^https?:\/\//.test(text) ? text : `https://${text}`
    return `<a href="${url}"${attributes}>${trimmed(text)}</a>`
  }
  if (text.startsWith('mailto:') && mail.test(text.slice(7))) return `<a href="${text}">${text.slice(7)}</a>`
  if (/^(?!www\.|@)[^:]*@[^:]*$/.test(text) && mail.test(text)) return `<a href="mailto:${text}">${text}</a>`
  return schemes.reduce(
    (made, scheme) =>
      made !== scheme && made.startsWith(scheme) ? `<a href="${made}"${attributes}>${made}</a>` : made,
    text,
  )
}
