/** Series of which probes were stored since a time. */
export const selectSeries = `SELECT DISTINCT series FROM canary_probes
  WHERE stored_at >= fromUnixTimestamp64Milli({storedSince:Int64}, 'UTC') AND series != '' LIMIT 10000`;

export const selectTotals = `SELECT series, toFloat64(judged_up_to) AS judgedUpTo, toFloat64(toUnixTimestamp64Milli(canary_series.began)) AS began,
    toFloat64(toUnixTimestamp64Milli(last_call)) AS lastCall, toFloat64(accepted) AS accepted, toFloat64(refused) AS refused,
    toFloat64(in_doubt) AS inDoubt, toFloat64(unjudged) AS unjudged, arrayMap(count -> toFloat64(count), latencies) AS latencies
  FROM canary_series FINAL WHERE series IN ({series:Array(String)})`;

/** Probes after a number. Those that were stored only now may not be on all replicas. */
export const selectProbes = `SELECT toFloat64(number) AS number, toFloat64(count()) AS copies,
    toFloat64(max(ifNull(properties.drained.:Int64, 0))) AS drained, toFloat64(toUnixTimestamp64Milli(min(timestamp))) AS called,
    toFloat64(toUnixTimestamp64Milli(min(canary_probes.stored_at))) AS stored,
    any(ifNull(properties.refused.:String, '')) AS refused, any(ifNull(properties.in_doubt.:String, '')) AS inDoubt
  FROM canary_probes WHERE series = {series:String} AND number > {after:UInt64}
    AND canary_probes.stored_at <= now64(3, 'UTC') - toIntervalMillisecond({settledMs:UInt32})
  GROUP BY number ORDER BY number LIMIT 20000`;

/** Probes of the last day that lie there more than once. */
export const selectDoubled = `SELECT series, toFloat64(number) AS number, 'doubled' AS kind, toFloat64(toUnixTimestamp64Milli(min(timestamp))) AS called
  FROM canary_probes WHERE received_at > now64(3, 'UTC') - INTERVAL 1 DAY AND series != ''
  GROUP BY series, number HAVING count() > 1 LIMIT 1000`;

/** Faults that are known already, among the newest. */
export const selectFaults = `SELECT series, toFloat64(number) AS number, kind, toFloat64(toUnixTimestamp64Milli(called)) AS called,
    toFloat64(toUnixTimestamp64Milli(found)) AS found, toFloat64(toUnixTimestamp64Milli(arrived)) AS arrived
  FROM canary_faults FINAL ORDER BY canary_faults.found DESC, series, number LIMIT 10000`;

/** When lost probes were stored after all. */
export const selectArrived = `SELECT series, toFloat64(number) AS number, toFloat64(toUnixTimestamp64Milli(min(canary_probes.stored_at))) AS stored
  FROM canary_probes WHERE series IN ({series:Array(String)}) AND number IN ({numbers:Array(UInt64)}) GROUP BY series, number`;
