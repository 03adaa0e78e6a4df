package tech.sluice

import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.net.TrafficStats
import java.io.ByteArrayOutputStream
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URL
import tech.sluice.net.openWithoutCookies

/** Limits of a download: the system gives a push message about twenty seconds. */
private const val CONNECT_MS = 5_000
private const val READ_MS = 5_000
private const val TOTAL_MS = 10_000L
private const val MAX_IMAGE_BYTES = 5 * 1_024 * 1_024

/** Pixels on a side; Android shows pictures of notifications at most about this large. */
private const val LARGEST_SIDE = 1_024

/** The image of a notification; null if it cannot be loaded within [totalMs], whatever its server and redirects do. */
internal fun loadImage(url: String, totalMs: Long = TOTAL_MS): Bitmap? =
    try {
        val download = Download(url, System.nanoTime() + totalMs * 1_000_000)
        // Names, connections to each address and redirects have no limit in all, so the wait has it.
        val thread = Thread(download, "sluice-image").apply { isDaemon = true }
        thread.start()
        thread.join(totalMs)
        if (thread.isAlive) null.also { download.cancel() } else download.image
    } catch (_: Throwable) {
        // No memory for a thread.
        null
    }

private class Download(private val url: String, private val end: Long) : Runnable {
    @Volatile
    private var connection: HttpURLConnection? = null

    @Volatile
    var image: Bitmap? = null
        private set

    override fun run() {
        // StrictMode reports untagged traffic.
        TrafficStats.setThreadStatsTag(TRAFFIC_TAG)
        try {
            image = bytes()?.let(::scaled)
        } catch (_: Throwable) {
            // Throwable, because memory may run out too: an image of a few bytes can declare billions of pixels.
        }
    }

    fun cancel() {
        connection?.disconnect()
    }

    private fun bytes(): ByteArray? {
        val connection = openWithoutCookies(URL(url)) as? HttpURLConnection ?: return null
        this.connection = connection
        connection.connectTimeout = CONNECT_MS
        connection.readTimeout = READ_MS
        try {
            if (connection.responseCode != 200) return null
            return connection.inputStream.use { read(it, end) }
        } finally {
            connection.disconnect()
        }
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
