/** The entry of the thread that hashes and encodes media. It is started by media-work.ts. */
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { messageOf, systemCode } from '../../base/errors/errors.js'
import { sha256 } from '../digest.js'
import { encodeMedium } from './encode-medium.js'
import type { MediaReport, MediaTask } from './media-work.js'

let scratch = Buffer.alloc(0)

parentPort?.on('message', (task: MediaTask) => {
  parentPort?.postMessage(runMediaTask(task))
})

function runMediaTask(task: MediaTask): MediaReport {
  const { id } = task
  try {
    if (task.type === 'digest') return { id, type: 'digest', digest: sha256(task.bytes) }
    const bytes = readWhole(task.path, task.bytes)
    const { buffer, byteOffset, byteLength } = task.into
    const length = bytes && encodeMedium(bytes, task.digest, Buffer.from(buffer, byteOffset, byteLength))
    return { id, type: 'encoded', length }
  } catch (error) {
    return { id, type: 'failed', message: messageOf(error) }
  }
}

/** Reads a file. Returns undefined if it is missing or has another size. */
function readWhole(path: string, size: number): Buffer | undefined {
  if (scratch.length < size) scratch = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(size)))
  try {
    const file = openSync(path, 'r')
    try {
      return readSync(file, scratch, 0, size, 0) === size ? scratch.subarray(0, size) : undefined
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return undefined
  }
}
