/** Bounds what connections cost: how many one address has, and how much of answers waits for clients that read slowly. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Limits that keep slow or many connections from blocking the server. */
export interface ConnectionLimits {
  /** Maximum number of open connections. */
  readonly total: number
  /** Maximum number of open connections of one address. A proxy on this machine has all clients' connections, so that loopback has no such limit. */
  readonly perAddress: number
  /** A client that reads nothing of a pending response for this long is disconnected, in milliseconds. */
  readonly stallMs: number
  /** Maximum size of answers that clients have not read yet, in bytes. Above it, the connection with the most of them is closed. */
  readonly unread: number
}

/** The default limits of connections. */
export const connectionLimits: ConnectionLimits = {
  total: 2000,
  perAddress: 400,
  stallMs: 30_000,
  unread: 256 * 1024 * 1024,
}

/** Applies the limits to a server. */
export function limitConnections(server: Server, { total, perAddress, stallMs, unread }: ConnectionLimits): void {
  const open = new Set<Socket>()
  const counts = new Map<string, number>()
  server.maxConnections = total
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = (counts.get(address) ?? 0) + 1
    open.add(socket)
    counts.set(address, count)
    socket.once('close', () => {
      open.delete(socket)
      const remainingCount = (counts.get(address) ?? 1) - 1
      if (remainingCount === 0) counts.delete(address)
      else counts.set(address, remainingCount)
    })
    if (count > perAddress && !isLoopback(address)) socket.destroy()
  })
  // Progress of a write counts as activity, as do the comments of event streams. A request that waits for its answer has nothing unread.
  server.setTimeout(stallMs, socket => {
    if (socket.writableLength > 0) socket.destroy()
  })
  server.on('request', () => {
    dropLargest(open, unread)
  })
}

/** An IPv6 socket shows IPv4 addresses as `::ffff:127.0.0.1`. */
const isLoopback = (address: string): boolean => /^(::ffff:)?127\.0\.0\.1$|^::1$/.test(address)

function dropLargest(open: ReadonlySet<Socket>, unread: number): void {
  let sum = 0
  let largest: Socket | undefined
  for (const socket of open) {
    sum += socket.writableLength
    if (socket.writableLength > (largest?.writableLength ?? 0)) largest = socket
  }
  if (sum > unread) largest?.destroy()
}
