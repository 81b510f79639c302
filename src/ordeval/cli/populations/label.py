"""ordeval label"""
