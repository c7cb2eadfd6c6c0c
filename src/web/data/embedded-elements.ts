/** The elements of a report's own file: its data, its samples, its media. */
import type { MediaRef, ReportData, SampleView } from '../../present/page/data/index.js'

/** The longest sides of the pictures that a file holds. The largest comes first. */
const pictureSides = [1024, 320] as const

/** Reads the data elements of a report file. */
export interface EmbeddedElements {
  readonly data: ReportData | undefined
  /** Resolves when the browser has read the file to its end: samples and media stand behind the first view's data. */
  whole(): Promise<void>
  /** Unpacks a chunk of samples; undefined if the file does not hold it. */
  chunk(run: number, chunk: number): Promise<readonly SampleView[] | undefined>
  /** Returns the address of a medium. @param width the display width. @default the largest picture */
  address(medium: MediaRef, width?: number): string | undefined
}

/** Opens the data elements of a report file. */
export function embeddedElements(page: Document): EmbeddedElements {
  const chunks = new Map<string, Promise<readonly SampleView[] | undefined>>()
  const addresses = new Map<string, string>()
  const text = page.getElementById('report-data')?.textContent
  const whole = (): Promise<void> =>
    page.readyState === 'loading'
      ? new Promise(resolve => page.addEventListener('DOMContentLoaded', () => resolve(), { once: true }))
      : Promise.resolve()

  const findObjectUrl = (id: string): string | undefined => {
    const earlierUrl = addresses.get(id)
    if (earlierUrl !== undefined) return earlierUrl
    const element = page.getElementById(id)
    if (element === null) return undefined
    const objectUrl = URL.createObjectURL(
      new Blob([decodeBytes(element)], { type: element.getAttribute('data-type') ?? 'application/octet-stream' }),
    )
    addresses.set(id, objectUrl)
    return objectUrl
  }

  return {
    data: text === undefined || text === '' ? undefined : (JSON.parse(text) as ReportData),
    whole,
    async chunk(run, number) {
      await whole()
      const id = `samples-${run}-${number}`
      const chunk = chunks.get(id)
      if (chunk !== undefined) return chunk
      const element = page.getElementById(id)
      const unpacked = element === null ? Promise.resolve(undefined) : unpack(decodeBytes(element))
      chunks.set(id, unpacked)
      return unpacked
    },
    address(medium, width) {
      const id = `media-${medium.digest.replace(/[^\w]/g, '-')}`
      if (medium.kind !== 'image') return findObjectUrl(id)
      const sides = width !== undefined && width <= 320 ? [...pictureSides].reverse() : pictureSides
      for (const side of sides) {
        const url = findObjectUrl(`${id}-${side}`)
        if (url !== undefined) return url
      }
      return undefined
    },
  }
}

function decodeBytes(element: Element): Uint8Array<ArrayBuffer> {
  const text = atob(element.textContent)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<readonly SampleView[]> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return (await new Response(stream).json()) as readonly SampleView[]
}
