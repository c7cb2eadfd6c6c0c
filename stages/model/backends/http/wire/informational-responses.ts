import type { Socket } from 'node:net'

/** Watches what comes over one socket. */
export interface InformationalFilter {
  /** A request begins: what comes next is the beginning of an answer. */
  expectAnswer(): void
}

const continues = /^HTTP\/1\.[01] 100[ \r]/
/** As much of a head as tells whether it is one to be left out. */
const tellingBytes = 13
const longestHead = 16 * 1024
const nothing: Buffer = Buffer.alloc(0)

/**
 * Leaves out `100 Continue` where an answer begins. Any server may say it unasked, and clients must bear it (RFC 9110, 15.2), but undici
 * breaks off the connection and has no option for it. It reads by `socket.read()` alone, so that this is where it can be left out.
 */
export function withoutContinue(socket: Socket): InformationalFilter {
  const read = socket.read.bind(socket)
  let isBeginning = false
  let held = nothing
  socket.read = () => {
    for (;;) {
      const chunk = read() as Buffer | null
      if (chunk === null || !isBeginning) return chunk
      const { rest, isTold } = afterContinues(held.length === 0 ? chunk : Buffer.concat([held, chunk]))
      isBeginning = !isTold
      held = isTold ? nothing : rest
      if (isTold) return rest
    }
  }
  return {
    expectAnswer() {
      isBeginning = true
      held = nothing
    },
  }
}

/** What follows the heads that are to be left out, and whether it is told by now that it is none of them. */
function afterContinues(bytes: Buffer): { readonly rest: Buffer; readonly isTold: boolean } {
  let rest = bytes
  for (;;) {
    const beginning = rest.toString('latin1', 0, tellingBytes)
    if (rest.length < tellingBytes) return { rest, isTold: !mayBecomeOne(beginning) }
    if (!continues.test(beginning)) return { rest, isTold: true }
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { rest, isTold: rest.length > longestHead }
    rest = rest.subarray(end + 4)
  }
}

const mayBecomeOne = (beginning: string): boolean =>
  ['HTTP/1.1 100', 'HTTP/1.0 100'].some(head => head.startsWith(beginning.slice(0, head.length)))
