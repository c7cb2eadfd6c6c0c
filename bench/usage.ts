/** Loaded into a measured program before all else: tells in the end, on file descriptor 3, what the process used. */
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

process.on('exit', () => {
  // It is loaded into threads, too; what they used is in the process's figures.
  if (!isMainThread) return
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS / 1024 }))
})
