package com.google.firebase.messaging;

/** The members of Firebase's class that the sample uses. */
public abstract class FirebaseMessagingService {
    public void onMessageReceived(RemoteMessage message) {}

    public void onNewToken(String token) {}
}
