package tech.sluice

import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.net.TrafficStats
import java.io.ByteArrayOutputStream
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URL

/** Limits of a download: the system gives a push message about twenty seconds. */
private const val CONNECT_MS = 5_000
private const val READ_MS = 5_000
private const val TOTAL_NS = 10_000_000_000L
private const val MAX_IMAGE_BYTES = 5 * 1_024 * 1_024

/** Pixels on a side; Android shows pictures of notifications at most about this large. */
private const val LARGEST_SIDE = 1_024

/** The image of a notification; null if it cannot be loaded in time: the notification is then shown without it. */
internal fun loadImage(url: String): Bitmap? {
    // Firebase's thread has its own tag, or none: StrictMode reports untagged traffic.
    val tag = TrafficStats.getThreadStatsTag()
    TrafficStats.setThreadStatsTag(TRAFFIC_TAG)
    return try {
        bytesOf(url)?.let(::scaled)
    } catch (_: Throwable) {
        // Not only an IOException: an image of a few bytes can have billions of pixels.
        null
    } finally {
        TrafficStats.setThreadStatsTag(tag)
    }
}

private fun bytesOf(url: String): ByteArray? {
    val end = System.nanoTime() + TOTAL_NS
    val connection = URL(url).openConnection() as? HttpURLConnection ?: return null
    connection.connectTimeout = CONNECT_MS
    connection.readTimeout = READ_MS
    try {
        if (connection.responseCode != 200) return null
        return connection.inputStream.use { read(it, end) }
    } finally {
        connection.disconnect()
    }
}

/** Null if there are too many bytes, or they do not arrive by [end]. */
private fun read(stream: InputStream, end: Long): ByteArray? {
    val bytes = ByteArrayOutputStream()
    val part = ByteArray(16_384)
    while (bytes.size() <= MAX_IMAGE_BYTES && System.nanoTime() < end) {
        val count = stream.read(part)
        if (count < 0) return bytes.toByteArray()
        bytes.write(part, 0, count)
    }
    return null
}

private fun scaled(bytes: ByteArray): Bitmap? {
    val size = BitmapFactory.Options().apply { inJustDecodeBounds = true }
    BitmapFactory.decodeByteArray(bytes, 0, bytes.size, size)
    var sample = 1
    while (maxOf(size.outWidth, size.outHeight) / sample > LARGEST_SIDE) sample *= 2
    return BitmapFactory.decodeByteArray(bytes, 0, bytes.size, BitmapFactory.Options().apply { inSampleSize = sample })
}
