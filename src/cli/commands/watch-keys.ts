/** The keys of a live view: a digit opens one of the pages that the view numbers. */

/** The standard input of a terminal. */
export type KeySource = Pick<NodeJS.ReadStream, 'on' | 'off' | 'pause' | 'resume' | 'setRawMode'>

/** Keys that are listened to. */
export interface WatchKeys {
  /** Sets the pages that the digits from 1 open. */
  number(pages: readonly ViewerPage[]): void
  /** Pauses the keys during a question. */
  during<T>(question: () => Promise<T>): Promise<T>
  close(): void
}

/** A page of the viewer of a store. */
export interface ViewerPage {
  /** The store's folder or address. */
  readonly store: string
  /** The address behind `#`, such as `/runs/NAME/samples/0/7`. */
  readonly path: string
}

/** The highest digit. */
export const mostPages = 9

/**
 * Listens for digits, one key at a time.
 *
 * @param open shows a page
 * @param interrupt called at Ctrl-C, which causes no signal while keys are read one by one
 */
export function listenForKeys(
  source: KeySource,
  { open, interrupt }: { readonly open: (page: ViewerPage) => void; readonly interrupt: () => void },
): WatchKeys {
  let numbered: readonly ViewerPage[] = []
  const onData = (typed: Buffer): void => {
    for (const key of typed.toString()) {
      const page = /[1-9]/.test(key) ? numbered[Number(key) - 1] : undefined
      if (key === '\u0003') interrupt()
      else if (page !== undefined) open(page)
    }
  }
  const listen = (): void => {
    source.setRawMode(true)
    source.on('data', onData)
    source.resume()
  }
  const leave = (): void => {
    source.off('data', onData)
    source.setRawMode(false)
    source.pause()
  }
  listen()
  return {
    number(pages) {
      numbered = pages
    },
    async during(question) {
      leave()
      try {
        return await question()
      } finally {
        listen()
      }
    },
    close: leave,
  }
}
