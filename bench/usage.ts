/** A preloaded module that reports the resources of a measured process on file descriptor 3 when it ends. */
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

process.on('exit', () => {
  // The module is loaded into threads, too, but their usage is part of the process's.
  if (!isMainThread) return
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS / 1024 }))
})
