import { open } from 'node:fs/promises'

const mostBytes = 16 * 1024
const mostLines = 15
const longestLine = 300

/** The last lines of a log, shortened for people; none where there is no such file. */
export async function logTail(path: string): Promise<readonly string[]> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return []
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - mostBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, start)
    const lines = buffer
      .subarray(0, bytesRead)
      .toString()
      .split(/[\r\n]+/)
      .filter(line => line.trim() !== '')
    return lines.slice(-mostLines).map(line => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
  } finally {
    await file.close()
  }
}
