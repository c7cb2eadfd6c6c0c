import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { withoutSecrets } from '../../../../base/text/secrets.js'

/** The maximum number of characters that an unfinished line is held back, so that a secret is not written in two halves. */
const longestHeld = 64 * 1024

/** Writes the output of programs to a file, line by line, with secrets masked. */
export class MaskedLog {
  readonly #file
  readonly #secrets: readonly string[]

  /** @throws Error if the folder cannot be made. If the file cannot be written, `onError` is called. */
  constructor(path: string, secrets: readonly string[], onError: (error: Error) => void) {
    mkdirSync(dirname(path), { recursive: true })
    this.#file = createWriteStream(path, { flags: 'a' }).on('error', onError)
    this.#secrets = secrets
  }

  /** Writes everything from a stream until it ends. */
  follow(output: Readable): void {
    let pendingText = ''
    output.setEncoding('utf8').on('data', (text: string) => {
      pendingText += text
      const whole = pendingText.length > longestHeld ? pendingText.length : endOfLines(pendingText)
      this.write(pendingText.slice(0, whole))
      pendingText = pendingText.slice(whole)
    })
    output.on('end', () => this.write(pendingText))
  }

  write(text: string): void {
    if (text !== '') this.#file.write(withoutSecrets(text, this.#secrets))
  }

  /** Resolves when everything so far is in the file. */
  flush(): Promise<void> {
    return new Promise(resolve => this.#file.write('', () => resolve()))
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#file.end(() => resolve()))
  }
}

/** Finds the end of the last line. Progress bars end their lines with a carriage return. */
const endOfLines = (text: string): number => Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
