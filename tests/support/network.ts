import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A network between a process and a server, which tests spoil. */
export interface Network {
  readonly port: number
  /** Ends all connections, and accepts no more. */
  cut(): void
  /** Passes nothing of what the server says on as soon as a process has said these words, and ends no connection. */
  muffleAfter(words: string): void
  /** Accepts connections again. */
  heal(): void
  close(): Promise<void>
}

/** Starts a network to a port of this machine. */
export async function startNetwork(target: number): Promise<Network> {
  const sockets = new Set<Socket>()
  let isCut = false
  let muffling: string | undefined
  const listener = createServer(socket => {
    if (isCut) return void socket.destroy()
    const server = connect(target, '127.0.0.1')
    socket.on('data', (bytes: Buffer) => {
      if (muffling !== undefined && bytes.includes(muffling)) server.unpipe().pause()
    })
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    muffleAfter(words) {
      muffling = words
    },
    heal() {
      isCut = false
      muffling = undefined
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise(resolve => listener.close(() => resolve()))
    },
  }
}
