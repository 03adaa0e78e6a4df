// Properties that bundles shorten. None is part of the public API, of what is sent or stored, of what one bundle hands
// to another, or a property of the browser that this code uses (src/bundle/bundles.spec.ts).
export const mangledNames = `
  areNamesFree around back batcher become begun cancelTimer channel cleared comeBack copy defer delay 
  depth drain draining dropMessage due early elect emit enter erase evict exchange expire factory failures fits
  flying flyingBytes forget fraction giveUp gone grants grow hasBadClock hasStorageFailed head header hold hurry idOf identity
  inDatabase inJournal isActive isAway isCleared isDoubtful isElected isFull isGone isGuess isInFlight isKnown isLeaving
  isOpen isOurs isOwned isPersistent isReady isRefused isRunning isSender isStored isTaking journal leave leftOut letGo
  lifecycle listeners load lookTimer measure members messageOf monotonic
  moveOn names note onCleared ours outbox own pauseUntil pausedUntil persist plugged ports postpone prefix prepare
  reasons reporter requestOf requests rest rests save schedule seal sealAll sealStored sendAll sending
  setAside settings settle spare state storageFailed storageWorks take tell timers told 
  unsubscribe update urgent urgently used uuid wait waiting wasLost write writeCookie writes written
`
  .trim()
  .split(/\s+/);
