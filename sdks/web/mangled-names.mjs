// Properties that bundles shorten. None is part of the public API, of what is sent or stored, of what one bundle hands
// to another, or a property of the browser that this code uses (src/bundle/bundles.spec.ts).
export const mangledNames = `
  adopt areNamesFree batch batcher batches become begun cancelTimer change channel cleared clock
  controller delay depth drain draining dropTexts due early elect emit enter erase exchange expire factory
  failures fits flying flyingBytes forget fraction giveUp gone grow guarded hasBadClock hasStorageFailed head
  header hold hurry idOf identity idle inJournal isActive isCleared isElected isGone isGuess isInFlight isKnown
  isLeaving isOpen isOurs isOwned isPersistent isReady isRefused isSender isSending isStored isTaking isTrimming
  isWaiting journal keep lease leftOut letGo lifecycle listener load lookTimer members messageOf monotonic
  moveOn note onCleared ours outbox over parts pause pauseUntil pausedUntil persist ports postpone prefix
  prepare queue reasons reporter requests rest rests resume save schedule seal sealAll sealStored sendAll
  sending setAside settings settle state storageFailed storageWorks storing take tell timers transport
  unsubscribe update urgent used uuid wait waiting wasLost write writeCookie writes written
`
  .trim()
  .split(/\s+/);
