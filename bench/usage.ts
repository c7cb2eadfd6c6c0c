/** A preloaded module that reports the resources of a measured process on file descriptor 3 when it ends. */
import { readFileSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

process.on('exit', () => {
  // The module is loaded into threads, too, but their usage is part of the process's.
  if (!isMainThread) return
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, peak: (readPeak() ?? maxRSS) / 1024 }))
})

/** Reads the maximum resident memory in kilobytes. On Linux, `maxRSS` also holds that of the process that started this one. */
function readPeak(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return peak === undefined ? undefined : Number(peak)
}
