import { describeOldNode } from './node-version.js'

// Loaded before the library's other modules, because SQLite crashes on an older Node.
const problem = describeOldNode(process.versions.node)
if (problem !== undefined) throw new Error(problem)
