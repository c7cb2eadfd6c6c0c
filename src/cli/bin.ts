#!/usr/bin/env node
import { boundHeapGrowth } from './heap-growth.js'
import { main } from './main.js'

boundHeapGrowth()
process.exitCode = await main(process.argv.slice(2))
