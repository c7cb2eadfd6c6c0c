export { parseList } from '../../../base/written-list.js'
