package tech.sluice.core

import kotlin.math.max
import kotlin.math.min

private const val SECOND = 1_000.0
private const val MINUTE = 60_000.0
private const val HOUR = 3_600_000.0
private const val DAY = 86_400_000.0
private const val MIN_SPREAD_MS = 10_000.0

/** Doubles with each of [times], up to [max]. */
private fun doubled(first: Double, times: Int, max: Double): Double =
    min(max, first * (1L shl min(30, times - 1)))

/**
 * Wait in milliseconds after [failures] failed tries in a row: the larger of Retry-After and half of the backoff, plus
 * jitter over the whole backoff, at least 10 s. Without the fixed half, clients after a long outage would send twice as
 * many requests in the first second of a recovery as in its average second.
 */
internal fun waitAfter(failures: Int, retryAfter: Double, fraction: Double): Double {
    val backoff = doubled(SECOND, failures, MINUTE)
    return max(retryAfter, backoff / 2) + fraction * max(MIN_SPREAD_MS, backoff)
}

/** Rest in milliseconds after [times] permanent errors in a row, plus up to a minute of jitter. */
internal fun restAfter(times: Int, fraction: Double): Double = doubled(10 * MINUTE, times, HOUR) + fraction * MINUTE

/**
 * Retry-After in milliseconds, from seconds or a date; 0 without the header. At most a day, or five minutes if something
 * else than the service has answered: a portal that one leaves must not stop a client for a day.
 */
internal fun retryAfterOf(answer: HttpAnswer?, now: Long, isOfService: Boolean): Double {
    val value = answer?.header("retry-after")?.trim() ?: return 0.0
    // Compare with the answer's own date, because the device's clock can be wrong by days.
    val sent = answer.header("date")?.let(::httpDateFrom) ?: now
    val isNumber = value.isNotEmpty() && value.all { it in '0'..'9' || it == '.' }
    val ms = if (isNumber) value.toDoubleOrNull()?.times(SECOND) else httpDateFrom(value)?.minus(sent)?.toDouble()
    return min(if (isOfService) DAY else 5 * MINUTE, max(0.0, ms ?: 0.0))
}
