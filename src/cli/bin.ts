#!/usr/bin/env node
import module from 'node:module'
import { describeOldNode } from '../node-version.js'

// An older Node must be able to parse this file, so the program is only imported after the version check.
const problem = describeOldNode(process.versions.node)
if (problem === undefined) {
  // Compiled code is read from Node's cache at later starts: about 45 ms less to the first request.
  module.enableCompileCache()
  const { main } = await import('./main.js')
  process.exitCode = await main(process.argv.slice(2))
} else {
  process.stderr.write(`error: ${problem}\n`)
  process.exitCode = 1
}
