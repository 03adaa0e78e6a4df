export { kotlinClassPath, kotlinModule } from './kotlin/class-path.js';
export { type Fault, faults } from './proxy/fault.js';
export { FaultProxy, type SeenRequest } from './proxy/fault-proxy.js';
export { type FaultShares, faultsBySeed } from './proxy/faults-by-seed.js';
export { kill } from './kills/kill-run.js';
export { complaintsOf } from './kills/outcome.js';
export { swift as swiftKills } from './swift/swift.js';
export { hasSwift, howToGetSwift, swift, swiftAt, SwiftDevice } from './swift/swift-device.js';
