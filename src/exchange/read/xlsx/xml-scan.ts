/** The events that a scanner reports about a document. Names come without their namespace's prefix. */
export interface XmlEvents {
  open(name: string, attributes: string): void
  close(name: string): void
  text(text: string): void
}

export interface XmlScanner {
  /** Reads the next piece of the document, which may be cut anywhere. */
  push(piece: string): void
  /** @throws Error if the document is incomplete. */
  end(): void
}

/**
 * Scans XML as spreadsheets contain it, piece by piece. Documents with a type definition are refused, because its
 * entities could expand without limit.
 */
export function xmlScanner(events: XmlEvents): XmlScanner {
  let rest = ''
  let depth = 0
  const tag = (content: string): void => {
    if (content.startsWith('/')) {
      depth--
      events.close(localName(content.slice(1).trim()))
      return
    }
    const isEmpty = content.endsWith('/')
    const inner = isEmpty ? content.slice(0, -1) : content
    const space = inner.search(/\s/)
    const name = localName(space === -1 ? inner : inner.slice(0, space))
    events.open(name, space === -1 ? '' : inner.slice(space))
    if (isEmpty) events.close(name)
    else depth++
  }
  return {
    push(piece) {
      const text = rest + piece
      let at = 0
      for (;;) {
        const start = text.indexOf('<', at)
        if (start === -1) break
        const end = endOfMark(text, start)
        if (end === -1) break
        if (start > at) events.text(decodeEntities(text.slice(at, start)))
        if (text.startsWith('<!DOCTYPE', start)) throw new Error('it has a document type definition')
        if (text.startsWith('<![CDATA[', start)) events.text(text.slice(start + 9, end - 3))
        else if (!text.startsWith('<!', start) && !text.startsWith('<?', start)) tag(text.slice(start + 1, end - 1))
        at = end
      }
      rest = text.slice(at)
    },
    end() {
      if (depth !== 0 || rest.trim() !== '') throw new Error('its XML ends too early')
    },
  }
}

/** Returns the offset behind a tag, a comment or another mark; -1 where the piece ends before. */
function endOfMark(text: string, start: number): number {
  // A piece may end within the first characters, which tell the kinds of marks apart.
  if (text[start + 1] === '!' && text.length < start + 9) return -1
  const closing = text.startsWith('<!--', start)
    ? '-->'
    : text.startsWith('<![CDATA[', start)
      ? ']]>'
      : text.startsWith('<?', start)
        ? '?>'
        : undefined
  if (closing !== undefined) {
    const end = text.indexOf(closing, start)
    return end === -1 ? -1 : end + closing.length
  }
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const sign = text[at]
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '>') return at + 1
  }
  return -1
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Returns an attribute's value by its name, which may have a prefix. */
export function attribute(attributes: string, name: string): string | undefined {
  const match = new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes)
  const value = match?.[1] ?? match?.[2]
  return value === undefined ? undefined : decodeEntities(value)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (all, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return entities[name] ?? all
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}
