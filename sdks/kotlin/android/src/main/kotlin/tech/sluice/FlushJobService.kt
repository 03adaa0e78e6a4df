package tech.sluice

import android.app.job.JobInfo
import android.app.job.JobParameters
import android.app.job.JobScheduler
import android.app.job.JobService
import android.content.ComponentName
import android.content.Context
import java.util.concurrent.atomic.AtomicInteger

private const val JOB_ID = 0x51_1CE
private const val BACKOFF_MS = 30_000L

/** Sends what clients left when the app was hidden, as soon as there is a network. The system starts the app for it. */
public class FlushJobService : JobService() {
    override fun onStartJob(params: JobParameters?): Boolean {
        // The first call in a process reads a file. Without an installation there is nothing to send.
        Sluice.withInstallation(this) { flush(Sluice.open(), params) }
        return true
    }

    private fun flush(all: List<Installation>, params: JobParameters?) {
        if (all.isEmpty()) return jobFinished(params, false)
        val flushing = AtomicInteger(all.size)
        val left = AtomicInteger()
        for (installation in all) {
            installation.client.flush { result ->
                // Messages that wait for consent need no job.
                if (installation.client.isSending) left.addAndGet(result.left)
                if (flushing.decrementAndGet() == 0) jobFinished(params, left.get() > 0)
            }
        }
    }

    /** The network is gone or the time is up: batches stay as they are, and the job runs again. */
    override fun onStopJob(params: JobParameters?): Boolean = true

    internal companion object {
        fun schedule(context: Context) {
            val job =
                JobInfo.Builder(JOB_ID, ComponentName(context, FlushJobService::class.java))
                    .setRequiredNetworkType(JobInfo.NETWORK_TYPE_ANY)
                    .setBackoffCriteria(BACKOFF_MS, JobInfo.BACKOFF_POLICY_EXPONENTIAL)
                    .build()
            quietly { schedulerOf(context)?.schedule(job) }
        }

        fun cancel(context: Context) {
            quietly { schedulerOf(context)?.cancel(JOB_ID) }
        }

        private fun schedulerOf(context: Context) = context.getSystemService(Context.JOB_SCHEDULER_SERVICE) as? JobScheduler
    }
}
