import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { withoutSecrets } from '../../../../base/text/secrets.js'

/** Characters of a line without an end that are held back, so that a secret is not written in two halves. */
const longestHeld = 64 * 1024

/** A file that takes down what programs say, line by line, without secrets. */
export class MaskedLog {
  readonly #file
  readonly #secrets: readonly string[]

  /** @throws where the folder cannot be made. A file that cannot be written is told to `onError`. */
  constructor(path: string, secrets: readonly string[], onError: (error: Error) => void) {
    mkdirSync(dirname(path), { recursive: true })
    this.#file = createWriteStream(path, { flags: 'a' }).on('error', onError)
    this.#secrets = secrets
  }

  /** Takes down all that comes, until its end. */
  follow(output: Readable): void {
    let held = ''
    output.setEncoding('utf8').on('data', (text: string) => {
      held += text
      const whole = held.length > longestHeld ? held.length : endOfLines(held)
      this.write(held.slice(0, whole))
      held = held.slice(whole)
    })
    output.on('end', () => this.write(held))
  }

  write(text: string): void {
    if (text !== '') this.#file.write(withoutSecrets(text, this.#secrets))
  }

  /** Resolves when all that was taken down is in the file. */
  flush(): Promise<void> {
    return new Promise(resolve => this.#file.write('', () => resolve()))
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#file.end(() => resolve()))
  }
}

/** Progress bars end their lines by going back to the beginning. */
const endOfLines = (text: string): number => Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
